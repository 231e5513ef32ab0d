#include "protocol/wire/writer.hpp"

#include <cstring>
#include <limits>

#include "base/assert.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/varint.hpp"

namespace weir::protocol::wire {
namespace {

/// The longest beginning of value that fits a string length and does not end within a character.
std::string_view cut(std::string_view value) {
  if (value.size() <= string_bytes_max) return value;
  auto size = string_bytes_max;
  while (size > 0 && (static_cast<std::uint8_t>(value[size]) & 0xC0) == 0x80) --size;
  return value.substr(0, size);
}

}  // namespace

void writer::boolean(bool value) { integer<std::uint8_t>(value ? 1 : 0); }
void writer::int8(std::int8_t value) { integer(static_cast<std::uint8_t>(value)); }
void writer::int16(std::int16_t value) { integer(static_cast<std::uint16_t>(value)); }
void writer::int32(std::int32_t value) { integer(static_cast<std::uint32_t>(value)); }
void writer::int64(std::int64_t value) { integer(static_cast<std::uint64_t>(value)); }
void writer::uint16(std::uint16_t value) { integer(value); }
void writer::uint32(std::uint32_t value) { integer(value); }

void writer::float64(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  integer(bits);
}

void writer::uuid(const weir::uuid& value) {
  integer(value.high);
  integer(value.low);
}

void writer::varint(std::uint32_t value) {
  const auto encoded = encode_varint(value);
  append(encoded.data.data(), encoded.size);
}

void writer::string(std::string_view value, bool flexible) {
  value = cut(value);
  if (flexible) {
    varint(static_cast<std::uint32_t>(value.size()) + 1);
  } else {
    int16(static_cast<std::int16_t>(value.size()));
  }
  raw(value);
}

void writer::nullable_string(const std::optional<text>& value, bool flexible) {
  if (!value) return null_length(flexible, sizeof(std::int16_t));
  string(*value, flexible);
}

void writer::blob(std::string_view value, bool flexible) {
  array_count(value.size(), flexible);
  raw(value);
}

void writer::nullable_blob(const std::optional<text>& value, bool flexible) {
  if (!value) return null_length(flexible, sizeof(std::int32_t));
  blob(*value, flexible);
}

void writer::raw(std::string_view data) { append(data.data(), data.size()); }

void writer::prefix_size(std::size_t start) {
  const auto encoded = encode_varint(static_cast<std::uint32_t>(out_.size() - start));
  out_.resize(out_.size() + encoded.size);
  auto* const at = out_.data() + start;
  std::memmove(at + encoded.size, at, out_.size() - start - encoded.size);
  std::memcpy(at, encoded.data.data(), encoded.size);
}

void writer::patch_int32(std::size_t at, std::int32_t value) {
  WEIR_ASSERT(at + sizeof value <= out_.size());
  const auto bits = static_cast<std::uint32_t>(value);
  for (std::size_t i = 0; i < sizeof value; ++i) out_[at + i] = static_cast<std::uint8_t>(bits >> (24 - 8 * i));
}

void writer::array_count(std::size_t count, bool flexible) {
  WEIR_ASSERT(count < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  if (flexible) {
    varint(static_cast<std::uint32_t>(count) + 1);
  } else {
    int32(static_cast<std::int32_t>(count));
  }
}

void writer::null_length(bool flexible, std::size_t width) {
  if (flexible) return varint(0);
  if (width == sizeof(std::int16_t)) return int16(-1);
  int32(-1);
}

template <class T>
void writer::integer(T value) {
  std::uint8_t raw[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    raw[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * (sizeof(T) - 1 - i)));
  }
  append(raw, sizeof(T));
}

void writer::append(const void* data, std::size_t size) {
  if (size == 0) return;
  const auto at = out_.size();
  out_.resize(at + size);
  std::memcpy(out_.data() + at, data, size);
}

}  // namespace weir::protocol::wire
