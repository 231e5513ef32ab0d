// Values of the group log (int16 version, then the value) and the type in front of its keys. Spec 04, section 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/codec.hpp"

namespace weir::protocol {

/// The record type in front of a key (17 is streams group metadata, ...), or none if the key is too short.
[[nodiscard]] std::optional<std::int16_t> record_type(byte_view key) noexcept;
/// The version in front of a value, or none if the value is too short.
[[nodiscard]] std::optional<std::int16_t> value_version(byte_view value) noexcept;

/// V is a generated *_value type; texts are views of value. Error: a version we do not know, or bytes that do not fit.
template <class V>
[[nodiscard]] result<V> decode_record_value(byte_view value) {
  const auto version = value_version(value);
  if (!version) return fail(std::string(V::name) + " without a version");
  return decode<V>(value.subspan(sizeof(std::int16_t)), *version);
}

template <class V>
[[nodiscard]] bytes encode_record_value(const V& value, std::int16_t version = V::max_version) {
  detail::scratch scratch;
  scratch.out().int16(version);
  value.write(scratch.out(), version);
  return scratch.copy();
}

}  // namespace weir::protocol
