#include "protocol/crc32c.hpp"

#include <array>

namespace weir::protocol {
namespace {

constexpr std::uint32_t reflected_polynomial = 0x82F63B78;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? reflected_polynomial : 0);
    table[byte] = value;
  }
  return table;
}

constexpr auto crc_table = make_crc_table();

}  // namespace

std::uint32_t crc32c(byte_view data) noexcept {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const auto byte : data) crc = crc_table[(crc ^ byte) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

}  // namespace weir::protocol
