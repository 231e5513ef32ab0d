// gzip, as far as reading compressed record batches needs it.
#pragma once

#include <cstddef>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::protocol {

/// Error: not gzip, cut off, bytes left over, or more than bytes_max when unpacked.
[[nodiscard]] result<bytes> gunzip(byte_view packed, std::size_t bytes_max);

}  // namespace weir::protocol
