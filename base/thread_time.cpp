#include "base/thread_time.hpp"

#include <ctime>

namespace weir {

std::int64_t thread_time_ns() noexcept {
  constexpr std::int64_t ns_of_a_second = 1'000'000'000;
  std::timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * ns_of_a_second + used.tv_nsec;
}

}  // namespace weir
