// Hashes and visiting orders, compared with those of a Java virtual machine.
#include "base/java_hash.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace weir {
namespace {

using testing::ElementsAre;

std::vector<std::string> pick(const std::vector<std::string_view>& keys, const std::vector<std::size_t>& order) {
  std::vector<std::string> picked;
  for (const auto index : order) picked.emplace_back(keys[index]);
  return picked;
}

TEST(java_hash, counts_utf16_units) {
  EXPECT_EQ(java_hash(""), 0);
  EXPECT_EQ(java_hash("Aa"), 2112);
  EXPECT_EQ(java_hash("BB"), 2112);
  EXPECT_EQ(java_hash("member-1"), -649440834);
  EXPECT_EQ(java_hash("\xC3\xA9"), 233);
  EXPECT_EQ(java_hash("\xF0\x9F\x98\x80"), 1772899);
}

TEST(java_map_order, goes_by_bucket_and_within_one_by_age) {
  const std::vector<std::string_view> keys{"2", "BB", "0", "Aa", "1"};
  EXPECT_THAT(pick(keys, java_map_order(keys)), ElementsAre("BB", "0", "Aa", "1", "2"));
}

TEST(java_map_order, thirteen_keys_need_32_buckets) {
  std::vector<std::string_view> keys{"q", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
  EXPECT_EQ(pick(keys, java_map_order(keys)).front(), "q");  // in the bucket of "a", and older
  keys.emplace_back("l");
  EXPECT_EQ(pick(keys, java_map_order(keys)).back(), "q");
}

TEST(java_computed_map_order, puts_the_newest_of_a_bucket_first) {
  const std::vector<std::string_view> keys{"2", "BB", "0", "Aa", "1"};
  EXPECT_THAT(pick(keys, java_computed_map_order(keys, 16)), ElementsAre("Aa", "0", "BB", "1", "2"));
}

TEST(java_computed_map_order, grows_one_key_later) {
  std::vector<std::string_view> keys{"3", "7", "2", "1"};
  EXPECT_THAT(pick(keys, java_computed_map_order(keys, 4)), ElementsAre("1", "2", "7", "3"));  // four buckets
  keys.emplace_back("0");
  EXPECT_THAT(pick(keys, java_computed_map_order(keys, 4)), ElementsAre("0", "1", "2", "3", "7"));  // eight
}

TEST(java_computed_map_order, of_nothing_is_nothing) { EXPECT_TRUE(java_computed_map_order({}, 1).empty()); }

}  // namespace
}  // namespace weir
