// A record of the group log as one line of JSON, in the form Kafka's own converters give it, and back:
// {"name":"OffsetCommit","key":{"type":1,"data":{...}},"value":{"version":4,"data":{...}}}
// A text that is no UTF-8 is {"base64":"..."} in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::cli {

/// A record in Kafka's key and value bytes; no value is a tombstone.
struct record_bytes {
  bytes key;
  std::optional<bytes> value;

  bool operator==(const record_bytes&) const = default;
};

/// No line end. Error: a type we do not know, bytes that do not fit.
[[nodiscard]] result<std::string> record_to_json(byte_view key, const std::optional<byte_view>& value);

/// Error: what is wrong, with its place in the document. Fields that are missing, unknown or given twice are errors.
[[nodiscard]] result<record_bytes> record_from_json(std::string_view line);

}  // namespace weir::cli
