// bytes: an owned byte buffer that grows; what frames, records and answers are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weir {

using bytes = std::vector<std::uint8_t>;
using byte_view = std::span<const std::uint8_t>;

/// One frame as it came off a socket (without the 4-byte length), kept alive by everything that looks into it.
using shared_frame = std::shared_ptr<const bytes>;

}  // namespace weir
