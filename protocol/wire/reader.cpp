#include "protocol/wire/reader.hpp"

namespace weir::protocol::wire {

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

std::int64_t reader::array_count(bool flexible, std::size_t element_bytes) noexcept {
  const std::int64_t count = flexible ? compact_length() : int32();
  if (count < 0) {
    if (count != -1) fail("negative array length");
    return -1;
  }
  const auto elements = static_cast<std::size_t>(count);
  if (elements > limits::array_elements_max) fail("array above the limit of elements");
  if (elements > left() / element_bytes) fail("array longer than what is left");
  return ok() ? count : 0;
}

bool reader::structure_present() noexcept {
  const auto marker = int8();
  if (marker != 1 && marker != -1 && ok()) fail("structure marker is neither -1 nor 1");
  return ok() && marker == 1;
}

}  // namespace weir::protocol::wire
