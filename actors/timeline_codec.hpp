// Events as the table `timeline` has them. Key: length and bytes of the group id, then the event's index (8 bytes,
// big-endian), so that the events of a group are adjacent and in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "group/event.hpp"

namespace weir::actors {

/// What the keys of all events of a group begin with. The id has at most storage::id_bytes_max bytes.
[[nodiscard]] std::string timeline_prefix(std::string_view group_id);
[[nodiscard]] std::string timeline_key(std::string_view group_id, std::uint64_t index);
/// The index at the end of a key; nothing if it is too short.
[[nodiscard]] std::optional<std::uint64_t> index_of(std::string_view key) noexcept;

/// int8 version, int64 time, then the other fields but the index, which is in the key.
[[nodiscard]] std::string encode_event(const group::event& from);
/// Error: a newer version, a cause that this version does not know, or damage, in words.
[[nodiscard]] result<group::event> decode_event(std::string_view data);
/// The time alone; nothing if there is none of a version this one knows.
[[nodiscard]] std::optional<std::int64_t> time_of_event(std::string_view data) noexcept;

}  // namespace weir::actors
