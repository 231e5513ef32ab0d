#include "protocol/wire/varint.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "protocol/wire/reader.hpp"

namespace weir::protocol::wire {
namespace {

TEST(varint_test, known_encodings) {
  struct known {
    std::uint32_t value;
    bytes encoded;
  };
  const known all[] = {{0, {0}},           {1, {1}},
                       {127, {0x7F}},      {128, {0x80, 1}},
                       {300, {0xAC, 2}},   {16383, {0xFF, 0x7F}},
                       {16384, {0x80, 0x80, 1}}, {0xFFFFFFFF, {0xFF, 0xFF, 0xFF, 0xFF, 0x0F}}};
  for (const auto& [value, encoded] : all) {
    const auto made = encode_varint(value);
    EXPECT_EQ(bytes(made.data.begin(), made.data.begin() + static_cast<std::ptrdiff_t>(made.size)), encoded);
    reader in(encoded);
    EXPECT_EQ(in.varint(), value);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.left(), 0U);
  }
}

TEST(varint_test, one_that_does_not_end_is_refused) {
  const bytes cut = {0xFF, 0xFF};
  reader in(cut);
  EXPECT_EQ(in.varint(), 0U);
  EXPECT_EQ(in.reason(), "ends within a varint");
}

TEST(varint_test, more_than_32_bits_are_refused) {
  const bytes wide = {0xFF, 0xFF, 0xFF, 0xFF, 0x1F};
  const bytes six_bytes = {0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
  for (const auto& encoded : {wide, six_bytes}) {
    reader in(encoded);
    EXPECT_EQ(in.varint(), 0U);
    EXPECT_EQ(in.reason(), "varint of more than 32 bits");
  }
}

}  // namespace
}  // namespace weir::protocol::wire
