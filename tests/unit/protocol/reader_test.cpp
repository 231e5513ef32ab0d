// The reader against what a hostile frame may say: lengths and counts beyond the bytes left, nulls, wrong markers.
#include "protocol/wire/reader.hpp"

#include <gtest/gtest.h>

#include "protocol/wire/tagged.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::protocol::wire {
namespace {

constexpr bool compact = true;
constexpr bool classic = false;

void read_number(reader& in, std::int32_t& out) { out = in.int32(); }

TEST(reader_test, integers_are_big_endian) {
  const bytes data = {0xFF, 0xFE, 0x01, 0x02, 0x03, 0x04, 0x80, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  reader in(data);
  EXPECT_EQ(in.int16(), -2);
  EXPECT_EQ(in.int32(), 0x01020304);
  EXPECT_EQ(in.int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(in.uint16(), 65535);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.left(), 0U);
}

TEST(reader_test, the_first_failure_stays_and_everything_after_it_is_empty) {
  const bytes data = {0, 0, 0, 9, 1, 2, 3};
  reader in(data);
  EXPECT_EQ(in.int16(), 0);
  EXPECT_EQ(in.int64(), 0);
  EXPECT_EQ(in.reason(), "ends too early");
  EXPECT_EQ(in.position(), 2U);
  in.fail("something else");
  EXPECT_EQ(in.reason(), "ends too early");
  EXPECT_EQ(in.int8(), 0);
  EXPECT_EQ(in.string(classic), "");
  EXPECT_EQ(in.left(), 0U);
}

TEST(reader_test, strings_are_views_of_the_frame) {
  const bytes data = {0, 2, 'h', 'i', 3, 'y', 'o'};
  reader in(data);
  const auto first = in.string(classic);
  const auto second = in.string(compact);
  EXPECT_EQ(first, "hi");
  EXPECT_EQ(second, "yo");
  EXPECT_EQ(static_cast<const void*>(first.data()), data.data() + 2);
  EXPECT_TRUE(in.ok());
}

TEST(reader_test, a_null_string_is_refused_where_null_is_not_allowed) {
  const bytes data = {0xFF, 0xFF};
  reader in(data);
  EXPECT_EQ(in.string(classic), "");
  EXPECT_EQ(in.reason(), "null where null is not allowed");
  reader again(data);
  EXPECT_EQ(again.nullable_string(classic), std::nullopt);
  EXPECT_TRUE(again.ok());
}

TEST(reader_test, lengths_below_null_are_refused) {
  const bytes data = {0xFF, 0xFE, 0xFF, 0xFE};
  reader in(data);
  in.nullable_string(classic);
  EXPECT_EQ(in.reason(), "negative string length");
  reader blob(data);
  blob.nullable_blob(classic);
  EXPECT_EQ(blob.reason(), "negative bytes length");
  std::vector<std::int32_t> numbers;
  reader array(data);
  array.array(classic, 4, numbers, [&](auto& n) { read_number(array, n); });
  EXPECT_EQ(array.reason(), "negative array length");
}

TEST(reader_test, a_compact_string_has_the_same_limit_as_a_classic_one) {
  for (const std::size_t length : {string_bytes_max, string_bytes_max + 1}) {
    bytes data;
    writer out(data);
    out.varint(static_cast<std::uint32_t>(length + 1));
    data.resize(data.size() + length, 'x');
    reader in(data);
    EXPECT_EQ(in.string(compact).size(), length == string_bytes_max ? length : 0U);
    EXPECT_EQ(in.ok(), length == string_bytes_max);
  }
}

TEST(reader_test, a_count_that_cannot_fit_is_refused_before_allocating) {
  const bytes classic_data = {0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0};
  const bytes compact_data = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0};
  const bytes two_do_not_fit = {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
  struct attempt {
    const bytes& data;
    bool flexible;
  };
  const attempt attempts[] = {{classic_data, classic}, {compact_data, compact}, {two_do_not_fit, classic}};
  for (const auto& [data, flexible] : attempts) {
    std::vector<std::int32_t> numbers;
    reader in(data);
    in.array(flexible, 4, numbers, [&](auto& n) { read_number(in, n); });
    EXPECT_FALSE(in.ok());
    EXPECT_EQ(numbers.capacity(), 0U);
  }
}

TEST(reader_test, more_elements_than_the_limit_are_refused_even_if_they_fit) {
  bytes data;
  writer(data).int32(static_cast<std::int32_t>(limits::array_elements_max + 1));
  data.resize(data.size() + limits::array_elements_max + 1);
  std::vector<std::int8_t> numbers;
  reader in(data);
  in.array(classic, 1, numbers, [&](auto& n) { n = in.int8(); });
  EXPECT_EQ(in.reason(), "arrays above the limit of elements");
  EXPECT_EQ(numbers.capacity(), 0U);
}

TEST(reader_test, the_limit_of_elements_is_of_all_arrays_of_a_message_together) {
  bytes data;
  for (int i = 0; i < 2; ++i) {
    writer(data).int32(3);
    data.resize(data.size() + 3);
  }
  for (const std::size_t most : {6U, 5U}) {
    reader in(data, most);
    std::vector<std::int8_t> numbers;
    for (int i = 0; i < 2; ++i) in.array(classic, 1, numbers, [&](auto& n) { n = in.int8(); });
    EXPECT_EQ(in.ok(), most == 6U);
  }
}

TEST(reader_test, a_long_array_is_not_reserved_whole) {
  bytes data;
  writer out(data);
  out.int32(100'000);
  data.resize(data.size() + 100'000, 1);
  data.back() = 0xFF;
  std::vector<std::int8_t> numbers;
  reader in(data);
  std::size_t most_after_first = 0;
  in.array(classic, 1, numbers, [&](auto& n) {
    if (numbers.size() == 1) most_after_first = numbers.capacity();
    n = in.int8();
  });
  EXPECT_LE(most_after_first, reserved_elements_max);
  EXPECT_EQ(numbers.size(), 100'000U);
  EXPECT_EQ(numbers.back(), -1);
}

TEST(reader_test, a_structure_marker_is_minus_one_or_one) {
  const bytes data = {0xFF, 1, 0};
  reader in(data);
  EXPECT_FALSE(in.structure_present());
  EXPECT_TRUE(in.structure_present());
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.structure_present());
  EXPECT_EQ(in.reason(), "structure marker is neither -1 nor 1");
}

TEST(reader_test, tags_must_rise) {
  const bytes falling = {2, 5, 0, 4, 0};
  const bytes repeated = {2, 5, 0, 5, 0};
  for (const auto& data : {falling, repeated}) {
    std::vector<unknown_tag> unknown;
    reader in(data);
    read_tags(in, unknown);
    EXPECT_EQ(in.reason(), "tags do not rise");
  }
}

TEST(reader_test, a_tagged_field_must_use_its_bytes_and_no_more) {
  const auto read = [](const bytes& data) {
    std::vector<unknown_tag> unknown;
    reader in(data);
    read_tags(in, unknown, [&](std::uint32_t) {
      in.int16();
      return true;
    });
    return std::string(in.reason());
  };
  EXPECT_EQ(read({1, 0, 2, 7, 7}), "");
  EXPECT_EQ(read({1, 0, 3, 7, 7, 7}), "tagged field longer than its type");
  EXPECT_EQ(read({1, 0, 1, 7, 7, 7}), "ends too early");
  EXPECT_EQ(read({1, 0, 9, 7, 7, 7}), "tagged field longer than what is left");
}

TEST(reader_test, a_huge_tag_count_allocates_nothing) {
  const bytes data = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F};
  std::vector<unknown_tag> unknown;
  reader in(data);
  read_tags(in, unknown);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(unknown.capacity(), 0U);
}

}  // namespace
}  // namespace weir::protocol::wire
