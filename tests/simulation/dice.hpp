// Random numbers of a simulation: the same on every machine for the same seed. Two ways to draw: a stream, which makes
// the plan; and mix(), a hash of the seed and of what the number is for, so that dropping a step of a plan leaves the
// chance of all others as it was.
#pragma once

#include <cstdint>

namespace weir::simulation {

/// One round of splitmix64.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) noexcept {
  return scramble(scramble(scramble(a) ^ b) ^ c);
}

class dice {
 public:
  explicit dice(std::uint64_t seed) noexcept : state_(scramble(seed)) {}

  /// Uniform in [low, high].
  int between(int low, int high) noexcept {
    state_ = scramble(state_);
    return low + static_cast<int>(state_ % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) noexcept { return between(1, 100) <= percent; }

 private:
  std::uint64_t state_;
};

}  // namespace weir::simulation
