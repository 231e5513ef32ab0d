// writer: appends Kafka's primitive types to a byte buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace weir::protocol::wire {

/// Appends to a buffer that the caller keeps; never fails. `flexible` picks the compact layouts. One thread.
class writer {
 public:
  explicit writer(bytes& out) noexcept : out_(out) {}

  /// Bytes in the buffer, those from before this writer included.
  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }

  void boolean(bool value);
  void int8(std::int8_t value);
  void int16(std::int16_t value);
  void int32(std::int32_t value);
  void int64(std::int64_t value);
  void uint16(std::uint16_t value);
  void uint32(std::uint32_t value);
  void float64(double value);
  void uuid(const weir::uuid& value);
  void varint(std::uint32_t value);

  /// A string of more than 32767 bytes is cut there, between characters: nothing read off the wire is that long, only
  /// texts we compose can be.
  void string(std::string_view value, bool flexible);
  void nullable_string(const std::optional<text>& value, bool flexible);
  void blob(std::string_view value, bool flexible);
  void nullable_blob(const std::optional<text>& value, bool flexible);

  /// `write(element)` appends one element.
  template <class T, class Write>
  void array(const std::vector<T>& values, bool flexible, Write&& write) {
    array_count(values.size(), flexible);
    for (const auto& value : values) write(value);
  }
  template <class T, class Write>
  void nullable_array(const std::optional<std::vector<T>>& values, bool flexible, Write&& write) {
    if (!values) return null_length(flexible, sizeof(std::int32_t));
    array(*values, flexible, write);
  }
  /// A null in a version that has no null: the empty array.
  template <class T, class Write>
  void array(const std::optional<std::vector<T>>& values, bool flexible, Write&& write) {
    if (!values) return array_count(0, flexible);
    array(*values, flexible, write);
  }

  /// The byte in front of a nullable structure.
  void structure_present(bool present) { int8(present ? 1 : -1); }

  void raw(std::string_view data);
  /// Puts the number of bytes written since `start` in front of them, as a varint.
  void prefix_size(std::size_t start);
  /// Overwrites four bytes written before.
  void patch_int32(std::size_t at, std::int32_t value);

 private:
  template <class T>
  void integer(T value);
  void append(const void* data, std::size_t size);
  void array_count(std::size_t count, bool flexible);
  void null_length(bool flexible, std::size_t width);

  bytes& out_;
};

}  // namespace weir::protocol::wire
