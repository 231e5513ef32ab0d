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

template <class Index>
std::vector<std::string> pick(const std::vector<std::string_view>& keys, const std::vector<Index>& order) {
  std::vector<std::string> picked;
  for (const auto index : order) picked.emplace_back(keys[index]);
  return picked;
}

java_visit computed(const std::vector<std::string_view>& keys, std::size_t capacity) {
  std::vector<std::int32_t> hashes;
  for (const auto key : keys) hashes.push_back(java_hash(key));
  return java_computed_map_visit(hashes, capacity);
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

TEST(java_computed_map_visit, puts_the_newest_of_a_bucket_first) {
  const std::vector<std::string_view> keys{"2", "BB", "0", "Aa", "1"};
  EXPECT_THAT(pick(keys, computed(keys, 16).order), ElementsAre("Aa", "0", "BB", "1", "2"));
}

TEST(java_computed_map_visit, grows_one_key_later) {
  std::vector<std::string_view> keys{"3", "7", "2", "1"};
  EXPECT_THAT(pick(keys, computed(keys, 4).order), ElementsAre("1", "2", "7", "3"));  // four buckets
  keys.emplace_back("0");
  EXPECT_THAT(pick(keys, computed(keys, 4).order), ElementsAre("0", "1", "2", "3", "7"));  // eight
}

TEST(java_computed_map_visit, of_nothing_is_nothing) { EXPECT_TRUE(computed({}, 1).order.empty()); }

TEST(java_map_visit, tells_whether_hashes_differ) {
  EXPECT_TRUE(java_map_visit(std::vector<std::int32_t>{}).differ);
  EXPECT_TRUE(java_map_visit(std::vector{5, 21, 37, 6}).differ);  // three of one bucket
  EXPECT_FALSE(java_map_visit(std::vector{5, 21, 6, 5}).differ);  // not beside each other
  EXPECT_TRUE(java_computed_map_visit(std::vector{5, 21, 37, 6}, 4).differ);
  EXPECT_FALSE(java_computed_map_visit(std::vector{5, 21, 6, 5}, 4).differ);
  EXPECT_TRUE(computed({}, 1).differ);
}

TEST(java_map_visit, does_not_look_at_all_of_a_crowd) {
  std::vector<std::int32_t> hashes;
  for (std::int32_t i = 0; i < 16; ++i) hashes.push_back(i << 8);  // one bucket of 32
  EXPECT_TRUE(java_map_visit(hashes).differ);
  hashes.push_back(16 << 8);
  EXPECT_TRUE(java_map_visit(hashes).differ);
  hashes.push_back(17 << 8);
  EXPECT_FALSE(java_map_visit(hashes).differ);
}

}  // namespace
}  // namespace weir
