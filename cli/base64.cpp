#include "cli/base64.hpp"

#include <cstdint>

namespace weir::cli {
namespace {

constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view data) {
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : data) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out.push_back(base64_alphabet[bits >> (count - 6) & 63]);
  }
  if (count > 0) out.push_back(base64_alphabet[bits << (6 - count) & 63]);
  while (out.size() % 4 != 0) out.push_back('=');
  return out;
}

std::optional<std::string> from_base64(std::string_view encoded) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : encoded.substr(0, encoded.find('='))) {
    const auto digit = base64_alphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count));
  }
  if (to_base64(out) != encoded) return std::nullopt;
  return out;
}

}  // namespace weir::cli
