#include "base/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace weir {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::uint64_t high_bits = 0x8080808080808080U;

/// How many bytes at the front are ASCII, in steps of eight: most of what is served is nothing else.
std::size_t ascii_prefix(std::string_view bytes) {
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + sizeof eight <= bytes.size(); at += sizeof eight) {
    std::memcpy(&eight, bytes.data() + at, sizeof eight);
    if ((eight & high_bits) != 0) break;
  }
  return at;
}

/// Length of the sequence that a first byte announces; 0 if no sequence starts with it.
std::size_t announced(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

/// Overlong forms, surrogates and what is above U+10FFFF show in the second byte.
bool second_fits(std::uint8_t first, std::uint8_t second) {
  switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return true;
  }
}

/// Length of the well-formed sequence at the front, or 0.
std::size_t sequence(std::string_view bytes) {
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  const std::size_t size = announced(first);
  if (size == 0 || size > bytes.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<std::uint8_t>(bytes[i]) & 0xC0) != 0x80) return 0;
  }
  return size == 1 || second_fits(first, static_cast<std::uint8_t>(bytes[1])) ? size : 0;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    if (const std::size_t plain = ascii_prefix(bytes); plain > 0) {
      out += bytes.substr(0, plain);
      bytes.remove_prefix(plain);
      continue;
    }
    const std::size_t size = sequence(bytes);
    out += size == 0 ? replacement : bytes.substr(0, size);
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace weir
