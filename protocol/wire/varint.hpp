// Unsigned varints: 7 bits a byte, low bits first, the top bit says that more follows. At most 5 bytes (32 bits).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::protocol::wire {

inline constexpr std::size_t varint_bytes_max = 5;

/// An encoded varint on the stack.
struct varint_bytes {
  std::array<std::uint8_t, varint_bytes_max> data{};
  std::size_t size = 0;
};

/// The shortest encoding of value.
constexpr varint_bytes encode_varint(std::uint32_t value) noexcept {
  varint_bytes out;
  for (; value > 0x7F; value >>= 7) out.data[out.size++] = static_cast<std::uint8_t>(value | 0x80);
  out.data[out.size++] = static_cast<std::uint8_t>(value);
  return out;
}

/// What decode_varint found; size 0 means no complete varint of at most 32 bits.
struct decoded_varint {
  std::uint32_t value = 0;
  std::size_t size = 0;
};

/// Reads a varint from the first of `left` bytes at data.
constexpr decoded_varint decode_varint(const std::uint8_t* data, std::size_t left) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < left && i < varint_bytes_max; ++i) {
    if (i == 4 && data[i] > 0x0F) return {};
    value |= static_cast<std::uint32_t>(data[i] & 0x7F) << (7 * i);
    if (data[i] < 0x80) return {value, i + 1};
  }
  return {};
}

}  // namespace weir::protocol::wire
