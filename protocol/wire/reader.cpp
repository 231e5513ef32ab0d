#include "protocol/wire/reader.hpp"

#include <cstring>
#include <type_traits>

namespace weir::protocol::wire {

bool reader::boolean() noexcept { return integer<std::uint8_t>() != 0; }
std::int8_t reader::int8() noexcept { return integer<std::int8_t>(); }
std::int16_t reader::int16() noexcept { return integer<std::int16_t>(); }
std::int32_t reader::int32() noexcept { return integer<std::int32_t>(); }
std::int64_t reader::int64() noexcept { return integer<std::int64_t>(); }
std::uint16_t reader::uint16() noexcept { return integer<std::uint16_t>(); }
std::uint32_t reader::uint32() noexcept { return integer<std::uint32_t>(); }

double reader::float64() noexcept {
  const auto bits = integer<std::uint64_t>();
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uuid reader::uuid() noexcept {
  const auto* data = take(16);
  return data == nullptr ? weir::uuid{} : weir::uuid::from_bytes(data);
}

std::uint32_t reader::varint() noexcept {
  const auto found = decode_varint(position_, left());
  if (found.size == 0) fail(left() < varint_bytes_max ? "ends within a varint" : "varint of more than 32 bits");
  position_ += found.size;
  return found.value;
}

std::optional<text> reader::nullable_string(bool flexible) noexcept {
  const std::int64_t length = flexible ? compact_length() : int16();
  if (length < 0) {
    if (length != -1) fail("negative string length");
    return std::nullopt;
  }
  if (static_cast<std::size_t>(length) > string_bytes_max) {
    fail("string longer than 32767 bytes");
    return std::nullopt;
  }
  return raw(static_cast<std::size_t>(length));
}

std::optional<text> reader::nullable_blob(bool flexible) noexcept {
  const std::int64_t length = flexible ? compact_length() : int32();
  if (length < 0) {
    if (length != -1) fail("negative bytes length");
    return std::nullopt;
  }
  return raw(static_cast<std::size_t>(length));
}

text reader::string(bool flexible) noexcept { return not_null(nullable_string(flexible)); }

text reader::blob(bool flexible) noexcept { return not_null(nullable_blob(flexible)); }

std::int64_t reader::array_count(bool flexible, std::size_t element_bytes) noexcept {
  const std::int64_t count = flexible ? compact_length() : int32();
  if (count < 0) {
    if (count != -1) fail("negative array length");
    return -1;
  }
  const auto elements = static_cast<std::size_t>(count);
  if (elements > elements_left_) fail("arrays above the limit of elements");
  if (elements > left() / element_bytes) fail("array longer than what is left");
  if (!ok()) return 0;
  elements_left_ -= elements;
  return count;
}

bool reader::structure_present() noexcept {
  const auto marker = int8();
  if (marker != 1 && marker != -1 && ok()) fail("structure marker is neither -1 nor 1");
  return ok() && marker == 1;
}

text reader::raw(std::size_t size) noexcept {
  const auto* data = take(size);
  return data == nullptr ? text() : text::view({reinterpret_cast<const char*>(data), size});
}

const std::uint8_t* reader::take(std::size_t size) noexcept {
  if (size > left()) {
    fail("ends too early");
    return nullptr;
  }
  const auto* data = position_;
  position_ += size;
  return data;
}

template <class T>
T reader::integer() noexcept {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const auto* data = take(sizeof(T));
  if (data == nullptr) return T{};
  bits value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<bits>(value << 8) | data[i];
  return static_cast<T>(value);
}

text reader::not_null(std::optional<text> value) noexcept {
  if (value) return *std::move(value);
  fail("null where null is not allowed");
  return {};
}

}  // namespace weir::protocol::wire
