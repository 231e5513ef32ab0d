// What the generated visit() functions say about a field: scalars are told apart by their C++ type, texts are not.
#pragma once

#include <cstdint>

namespace weir::protocol {

enum class field_kind : std::uint8_t { scalar, string, bytes, records, structure };

}  // namespace weir::protocol
