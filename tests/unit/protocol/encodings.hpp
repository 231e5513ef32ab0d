// Base64 and hexadecimal, as the golden files use them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace weir::protocol::testing {

inline std::string to_base64(std::string_view data) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : data) {
    bits = bits << 8 | static_cast<std::uint8_t>(c);
    for (count += 8; count >= 6; count -= 6) out.push_back(alphabet[bits >> (count - 6) & 63]);
  }
  if (count > 0) out.push_back(alphabet[bits << (6 - count) & 63]);
  while (out.size() % 4 != 0) out.push_back('=');
  return out;
}

inline std::string from_base64(std::string_view encoded) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : encoded) {
    if (c == '=') break;
    const auto digit = alphabet.find(c);
    if (digit == std::string_view::npos) throw std::runtime_error("not base64: " + std::string(encoded));
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return out;
}

inline bytes from_hex(std::string_view hex) {
  bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

inline std::string to_hex(byte_view data) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const auto byte : data) {
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
  }
  return out;
}

}  // namespace weir::protocol::testing
