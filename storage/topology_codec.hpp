// The topology record's value (type 23): exactly what the application sent, in its order (spec 04, 2.7).
#pragma once

#include <optional>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "group/topology/topology.hpp"

namespace weir::storage {

[[nodiscard]] bytes encode_topology(const group::topology& value);
/// An absent value (a tombstone) stays absent.
[[nodiscard]] result<std::optional<group::topology>> decode_topology(std::optional<byte_view> value);

}  // namespace weir::storage
