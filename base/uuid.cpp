#include "base/uuid.hpp"

namespace weir {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t text_size = 22;

}  // namespace

std::array<std::uint8_t, 16> uuid::bytes() const noexcept {
  std::array<std::uint8_t, 16> out{};
  for (std::size_t i = 0; i < 8; ++i) {
    out[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    out[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
  }
  return out;
}

uuid uuid::from_bytes(const std::uint8_t* sixteen) noexcept {
  uuid id;
  for (std::size_t i = 0; i < 8; ++i) {
    id.high = id.high << 8 | sixteen[i];
    id.low = id.low << 8 | sixteen[8 + i];
  }
  return id;
}

std::string uuid::to_string() const {
  const auto raw = bytes();
  std::string text;
  text.reserve(text_size);
  std::uint32_t bits = 0;
  int count = 0;
  for (const auto byte : raw) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 6; count -= 6) text.push_back(alphabet[bits >> (count - 6) & 63]);
  }
  text.push_back(alphabet[bits << (6 - count) & 63]);
  return text;
}

result<uuid> uuid::parse(std::string_view text) {
  if (text.size() != text_size) return fail("a topic id has 22 characters, got " + std::to_string(text.size()));
  std::array<std::uint8_t, 17> raw{};
  std::size_t written = 0;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto digit = alphabet.find(c);
    if (digit == std::string_view::npos) return fail("not a topic id: '" + std::string(text) + "'");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      raw[written++] = static_cast<std::uint8_t>(bits >> count);
    }
  }
  return from_bytes(raw.data());
}

uuid uuid::random(random_source& random) {
  for (;;) {
    uuid id{random.next(), random.next()};
    id.high = (id.high & ~0xF000ULL) | 0x4000ULL;
    id.low = (id.low & ~(3ULL << 62)) | 1ULL << 63;
    if (id.to_string().front() != '-') return id;
  }
}

}  // namespace weir
