// Group records <-> the key and value bytes Kafka's own coordinator writes (spec 04, sections 1 and 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "group/record.hpp"

namespace weir::storage {

/// A record's key taken apart. `name` is the member (types 19, 21, 22) or the topic (type 1), else empty; views of what
/// it was made from.
struct record_key {
  std::int16_t type = 0;
  std::string_view group_id;
  std::string_view name;
  std::int32_t partition = 0;  ///< type 1 only

  bool operator==(const record_key&) const = default;
};

[[nodiscard]] record_key key_of(std::string_view group_id, const group::record& r) noexcept;

/// int16 record type, then the key's fields.
[[nodiscard]] bytes encode_key(const record_key& key);
/// int16 value version, then the value; nothing for a tombstone. Offsets with an expiry of their own are written in
/// version 1, which has no leader epoch and no topic id (spec 04, 2.8).
[[nodiscard]] std::optional<bytes> encode_value(const group::record& r);

/// Nothing: a record type that is none of ours (spec 04, 8.4: skipped). Legacy type 0 reads as type 1. Error: bytes
/// that do not fit.
[[nodiscard]] result<std::optional<record_key>> decode_key(byte_view key);
/// Nothing as value: a tombstone. Error: an unknown value version or bytes that do not fit.
[[nodiscard]] result<group::record> decode_record(const record_key& key, std::optional<byte_view> value);

/// Bytes as characters, and back, without copying.
[[nodiscard]] inline std::string_view as_characters(byte_view data) noexcept {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}
[[nodiscard]] inline byte_view as_bytes(std::string_view data) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(data.data()), data.size()};
}

}  // namespace weir::storage
