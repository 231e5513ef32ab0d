#include "base/clock.hpp"

#include <chrono>

namespace weir {
namespace {

template <class Clock>
std::int64_t milliseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

}  // namespace

system_clock::system_clock() noexcept
    : offset_ms_(milliseconds<std::chrono::system_clock>() - milliseconds<std::chrono::steady_clock>()) {}

std::int64_t system_clock::now_ms() const noexcept {
  return offset_ms_ + milliseconds<std::chrono::steady_clock>();
}

}  // namespace weir
