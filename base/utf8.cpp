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

/// One well-formed sequence as its code point.
std::uint32_t code_point(std::string_view sequence) {
  const auto first = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() == 1) return first;
  std::uint32_t code = first & (0x7FU >> sequence.size());
  for (const char next : sequence.substr(1)) code = code << 6 | (static_cast<std::uint8_t>(next) & 0x3FU);
  return code;
}

/// Java's Character.isWhitespace: Unicode's separators without the no-break ones, and the controls that move the pen.
bool is_java_white_space(std::uint32_t code) {
  if (code <= 0x20) return code == 0x20 || (code >= 0x09 && code <= 0x0D) || code >= 0x1C;
  if (code >= 0x2000 && code <= 0x200A) return code != 0x2007;
  return code == 0x1680 || code == 0x2028 || code == 0x2029 || code == 0x205F || code == 0x3000;
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

bool is_blank(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t size = sequence(bytes);
    if (size == 0 || !is_java_white_space(code_point(bytes.substr(0, size)))) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

}  // namespace weir
