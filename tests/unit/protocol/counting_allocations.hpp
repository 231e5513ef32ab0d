// Counts what operator new hands out in this test program.
#pragma once

#include <cstddef>

namespace weir::protocol::testing {

/// Allocations of the calling thread so far.
std::size_t allocations() noexcept;

}  // namespace weir::protocol::testing
