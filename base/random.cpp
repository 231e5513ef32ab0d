#include "base/random.hpp"

namespace weir {

std::uint64_t system_random::next() {
  const std::lock_guard guard(mutex_);
  return engine_();
}

}  // namespace weir
