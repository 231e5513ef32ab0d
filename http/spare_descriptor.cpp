#include "http/spare_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace weir::http {

bool spare_descriptor::give_up() noexcept {
  if (descriptor_ < 0) return false;
  ::close(std::exchange(descriptor_, -1));
  return true;
}

void spare_descriptor::take_back() noexcept {
  if (descriptor_ < 0) descriptor_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace weir::http
