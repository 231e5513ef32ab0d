// Keys and values of the group log: int16 record type and key; int16 value version and value. Spec 04, section 1.
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

/// K is a generated *_key type; texts are views of key. Error: another record type, or bytes that do not fit.
template <class K>
[[nodiscard]] result<K> decode_record_key(byte_view key) {
  const auto type = record_type(key);
  if (type != K::api_key) return fail("not a key of " + std::string(K::name));
  return decode<K>(key.subspan(sizeof(std::int16_t)), 0);
}

/// V is a generated *_value type; texts are views of value. Error: a version we do not know, or bytes that do not fit.
template <class V>
[[nodiscard]] result<V> decode_record_value(byte_view value) {
  const auto version = value_version(value);
  if (!version) return fail(std::string(V::name) + " without a version");
  return decode<V>(value.subspan(sizeof(std::int16_t)), *version);
}

template <class K>
[[nodiscard]] bytes encode_record_key(const K& key) {
  detail::scratch scratch;
  scratch.out().int16(K::api_key);
  key.write(scratch.out(), 0);
  return scratch.copy();
}

template <class V>
[[nodiscard]] bytes encode_record_value(const V& value, std::int16_t version = V::max_version) {
  detail::scratch scratch;
  scratch.out().int16(version);
  value.write(scratch.out(), version);
  return scratch.copy();
}

}  // namespace weir::protocol
