// Sums of numbers that came from outside, which may be anything: the greatest or least number instead of an overflow.
#pragma once

#include <cstdint>
#include <limits>

namespace weir {

[[nodiscard]] constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  using all = std::numeric_limits<std::int64_t>;
  if (b > 0 && a > all::max() - b) return all::max();
  if (b < 0 && a < all::min() - b) return all::min();
  return a + b;
}

[[nodiscard]] constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) noexcept {
  using all = std::numeric_limits<std::int64_t>;
  if (b < 0 && a > all::max() + b) return all::max();
  if (b > 0 && a < all::min() + b) return all::min();
  return a - b;
}

}  // namespace weir
