// The two record values that hold tasks: target assignment of a member (type 21) and current assignment (type 22).
#pragma once

#include <optional>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "group/record.hpp"

namespace weir::storage {

[[nodiscard]] bytes encode_target(const group::role_tasks& value);
[[nodiscard]] bytes encode_current(const group::current_assignment& value);

/// An absent value (a tombstone) stays absent.
[[nodiscard]] result<std::optional<group::role_tasks>> decode_target(std::optional<byte_view> value);
/// Active tasks without assignment epochs of their own take the member epoch (spec 04, 2.6); an unknown state byte
/// reads as member_state::unknown.
[[nodiscard]] result<std::optional<group::current_assignment>> decode_current(std::optional<byte_view> value);

}  // namespace weir::storage
