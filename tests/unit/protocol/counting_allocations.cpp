#include "tests/unit/protocol/counting_allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t count = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace weir::protocol::testing {

std::size_t allocations() noexcept { return count; }

}  // namespace weir::protocol::testing
