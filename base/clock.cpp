#include "base/clock.hpp"

#include <chrono>

namespace weir {

std::int64_t system_clock::now_ms() const noexcept {
  using namespace std::chrono;
  const std::int64_t wall = duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::int64_t latest = latest_.load(std::memory_order_relaxed);
  while (latest < wall && !latest_.compare_exchange_weak(latest, wall, std::memory_order_relaxed)) {
  }
  return latest < wall ? wall : latest;
}

}  // namespace weir
