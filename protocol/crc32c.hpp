// CRC-32C (Castagnoli): the checksum of a record batch.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace weir::protocol {

/// `123456789` gives 0xE3069283.
[[nodiscard]] std::uint32_t crc32c(byte_view data) noexcept;

}  // namespace weir::protocol
