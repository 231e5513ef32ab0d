#include "protocol/wire/writer.hpp"

#include <gtest/gtest.h>

#include "protocol/wire/reader.hpp"
#include "protocol/wire/tagged.hpp"

namespace weir::protocol::wire {
namespace {

TEST(writer_test, a_text_too_long_for_the_wire_is_cut_between_characters) {
  std::string composed(string_bytes_max - 1, 'a');
  composed += "\xC3\xA4 and more";  // a character of two bytes that would straddle the limit
  bytes data;
  writer(data).string(composed, false);
  EXPECT_EQ(data.size(), 2 + string_bytes_max - 1);
  reader in(data);
  EXPECT_EQ(in.string(false).size(), string_bytes_max - 1);
}

TEST(writer_test, unknown_tags_are_written_among_the_known_ones_by_rising_tag) {
  const std::vector<unknown_tag> unknown = {{0, "a"}, {2, "b"}, {9, "c"}};
  bytes data;
  writer out(data);
  tag_section tags(out, unknown, 2);
  tags.field(1, [&] { out.int8(1); });
  tags.field(3, [&] { out.int16(3); });
  tags.finish();
  const bytes expected = {5, 0, 1, 'a', 1, 1, 1, 2, 1, 'b', 3, 2, 0, 3, 9, 1, 'c'};
  EXPECT_EQ(data, expected);
}

TEST(writer_test, a_tagged_field_of_more_than_127_bytes_gets_a_longer_size) {
  bytes data;
  writer out(data);
  const std::vector<unknown_tag> none;
  tag_section tags(out, none, 1);
  tags.field(0, [&] { out.raw(std::string(200, 'x')); });
  tags.finish();
  ASSERT_EQ(data.size(), 1 + 1 + 2 + 200U);
  EXPECT_EQ(data[2], 0xC8);
  EXPECT_EQ(data[3], 0x01);
  EXPECT_EQ(data[4], 'x');
  EXPECT_EQ(data.back(), 'x');
}

TEST(writer_test, null_is_minus_one_or_compact_zero) {
  bytes data;
  writer out(data);
  out.nullable_string(std::nullopt, false);
  out.nullable_string(std::nullopt, true);
  out.nullable_blob(std::nullopt, false);
  out.nullable_blob(std::nullopt, true);
  const bytes expected = {0xFF, 0xFF, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0};
  EXPECT_EQ(data, expected);
}

}  // namespace
}  // namespace weir::protocol::wire
