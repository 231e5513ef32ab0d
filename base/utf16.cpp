#include "base/utf16.hpp"

#include <cstddef>
#include <cstdint>

namespace weir {
namespace {

constexpr char32_t replacement_point = 0xFFFD;

struct decoded {
  char32_t code_point;
  std::size_t length;  // bytes used, at least 1
};

/// What a lead byte promises: how many bytes follow, the bits it holds, and which second bytes are well-formed (this
/// rules out overlong forms, surrogates and anything above U+10FFFF).
struct lead {
  std::size_t followers;
  char32_t bits;
  std::uint8_t second_min;
  std::uint8_t second_max;
};

lead read_lead(std::uint8_t byte) noexcept {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, static_cast<char32_t>(byte & 0x1F), 0x80, 0xBF};
  if (byte >= 0xE0 && byte <= 0xEF) {
    auto low = static_cast<std::uint8_t>(byte == 0xE0 ? 0xA0 : 0x80);
    auto high = static_cast<std::uint8_t>(byte == 0xED ? 0x9F : 0xBF);
    return {2, static_cast<char32_t>(byte & 0x0F), low, high};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    auto low = static_cast<std::uint8_t>(byte == 0xF0 ? 0x90 : 0x80);
    auto high = static_cast<std::uint8_t>(byte == 0xF4 ? 0x8F : 0xBF);
    return {3, static_cast<char32_t>(byte & 0x07), low, high};
  }
  return {0, replacement_point, 0, 0};
}

decoded decode(std::string_view rest) noexcept {
  auto first = static_cast<std::uint8_t>(rest[0]);
  if (first < 0x80) return {first, 1};
  lead head = read_lead(first);
  if (head.followers == 0) return {replacement_point, 1};
  char32_t code_point = head.bits;
  for (std::size_t i = 1; i <= head.followers; ++i) {
    if (i == rest.size()) return {replacement_point, i};
    auto byte = static_cast<std::uint8_t>(rest[i]);
    auto low = i == 1 ? head.second_min : std::uint8_t{0x80};
    auto high = i == 1 ? head.second_max : std::uint8_t{0xBF};
    if (byte < low || byte > high) return {replacement_point, i};
    code_point = code_point << 6 | (byte & 0x3FU);
  }
  return {code_point, head.followers + 1};
}

}  // namespace

bool is_ascii(std::string_view utf8) noexcept {
  unsigned char seen = 0;  // no early exit: the loop vectorises, and text is nearly always ASCII
  for (char c : utf8) seen |= static_cast<unsigned char>(c);
  return seen < 0x80;
}

std::u16string to_utf16(std::string_view utf8) {
  std::u16string units;
  units.reserve(utf8.size());
  while (!utf8.empty()) {
    auto [code_point, length] = decode(utf8);
    if (code_point < 0x10000) {
      units.push_back(static_cast<char16_t>(code_point));
    } else {
      units.push_back(static_cast<char16_t>(0xD7C0 + (code_point >> 10)));
      units.push_back(static_cast<char16_t>(0xDC00 + (code_point & 0x3FF)));
    }
    utf8.remove_prefix(length);
  }
  return units;
}

}  // namespace weir
