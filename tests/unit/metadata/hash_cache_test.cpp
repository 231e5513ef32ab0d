// The cache computes lazily, once for all groups, and forgets by deltas and by the last unsubscribe (spec 02, 8.2-8.6).
#include "metadata/hash_cache.hpp"

#include <gmock/gmock.h>

#include <random>

#include "metadata/topic_hash.hpp"

namespace weir::metadata {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using names = std::vector<std::string>;

topic make_topic(const std::string& name, std::size_t partitions, std::uint64_t id = 1) {
  return {uuid{7, id}, name, std::vector<std::vector<std::string>>(partitions)};
}

image_ptr make_image(const std::vector<topic>& topics, std::int64_t version = 1) {
  image_builder builder(nullptr);
  for (const auto& topic : topics) builder.put_topic(topic);
  return builder.build(version);
}

std::int64_t plain_group_hash(const image& image, const names& required) {
  std::vector<std::int64_t> hashes;
  for (const auto& name : required) {
    if (const auto* topic = image.find(name)) hashes.push_back(topic_hash(*topic));
  }
  return group_hash(hashes);
}

TEST(hash_cache, computes_a_topic_once_for_two_groups) {  // 8.6, sequence 6
  auto image = make_image({make_topic("a", 2), make_topic("b", 3)});
  hash_cache cache;
  cache.subscribe("g1", {"a", "b"});
  cache.subscribe("g2", {"b"});
  EXPECT_EQ(cache.group_hash(*image, names{"a", "b"}), plain_group_hash(*image, {"a", "b"}));
  EXPECT_EQ(cache.group_hash(*image, names{"b"}), plain_group_hash(*image, {"b"}));
  EXPECT_EQ(cache.group_hash(*image, std::set<std::string>{"a", "b"}), plain_group_hash(*image, {"a", "b"}));
  EXPECT_EQ(cache.counters().computations, 2U);
  EXPECT_EQ(cache.counters().hits, 3U);
}

TEST(hash_cache, a_topic_that_does_not_exist_is_left_out_and_not_kept) {  // 7.3, 8.3
  auto image = make_image({make_topic("a", 2)});
  hash_cache cache;
  cache.subscribe("g", {"a", "gone"});
  EXPECT_EQ(cache.group_hash(*image, names{"a", "gone"}), plain_group_hash(*image, {"a"}));
  EXPECT_EQ(cache.group_hash(*image, names{"gone"}), 0);
  EXPECT_EQ(cache.counters().entries, 1U);
}

TEST(hash_cache, computes_nothing_before_it_is_asked) {  // 8.3
  hash_cache cache;
  cache.subscribe("g", {"a"});
  EXPECT_THAT(cache.invalidate({{"a"}, {}, {}}), ElementsAre("g"));
  EXPECT_EQ(cache.counters().computations, 0U);
}

TEST(hash_cache, a_delta_names_the_affected_groups_and_forgets_the_touched_topics_only) {  // 8.4
  auto before = make_image({make_topic("a", 2), make_topic("b", 3), make_topic("c", 1)});
  hash_cache cache;
  cache.subscribe("g2", {"a", "new"});
  cache.subscribe("g1", {"a", "b"});
  cache.subscribe("g3", {"c"});
  for (const auto& required : {names{"a", "new"}, names{"a", "b"}, names{"c"}}) {
    (void)cache.group_hash(*before, required);
  }
  auto after = image_builder(before).put_topic(make_topic("a", 4)).put_topic(make_topic("new", 1)).build(2);
  EXPECT_THAT(cache.invalidate(difference(*before, *after)), ElementsAre("g1", "g2"));
  EXPECT_EQ(cache.counters().entries, 2U);
  EXPECT_EQ(cache.group_hash(*after, names{"a", "b"}), plain_group_hash(*after, {"a", "b"}));
  EXPECT_EQ(cache.counters().computations, 4U);
  EXPECT_THAT(cache.invalidate({{}, {}, {"unknown"}}), IsEmpty());
}

TEST(hash_cache, a_group_with_patterns_is_told_of_every_topic) {  // spec 01, 11.4
  auto before = make_image({make_topic("a", 2)});
  hash_cache cache;
  cache.subscribe("g1", {"a"});
  cache.subscribe("g2", {}, true);
  auto after = image_builder(before).put_topic(make_topic("new", 1)).build(2);
  EXPECT_THAT(cache.invalidate(difference(*before, *after)), ElementsAre("g2"));
  EXPECT_THAT(cache.invalidate({}), IsEmpty());
  cache.unsubscribe("g2");
  EXPECT_THAT(cache.invalidate(difference(*before, *after)), IsEmpty());
}

TEST(hash_cache, never_mixes_topics_of_two_images) {  // 8.7
  auto before = make_image({make_topic("a", 2), make_topic("b", 3)});
  auto after = image_builder(before).put_topic(make_topic("a", 4)).build(2);
  hash_cache cache;
  cache.subscribe("g", {"a", "b"});
  for (const auto& image : {before, after, before}) {  // no delta in between
    EXPECT_EQ(cache.group_hash(*image, names{"a", "b"}), plain_group_hash(*image, {"a", "b"}));
  }
}

TEST(hash_cache, is_empty_after_the_last_group_left) {  // 8.2
  auto image = make_image({make_topic("a", 2), make_topic("b", 3)});
  hash_cache cache;
  cache.subscribe("g1", {"a", "b"});
  cache.subscribe("g2", {"a"});
  (void)cache.group_hash(*image, names{"a", "b"});
  cache.unsubscribe("g1");
  EXPECT_EQ(cache.counters().entries, 1U);
  EXPECT_EQ(cache.counters().topics, 1U);
  cache.unsubscribe("g2");
  cache.unsubscribe("never was");
  EXPECT_EQ(cache.counters().entries, 0U);
  EXPECT_EQ(cache.counters().topics, 0U);
}

TEST(hash_cache, a_new_set_of_topics_replaces_the_former) {
  auto image = make_image({make_topic("a", 2), make_topic("b", 3)});
  hash_cache cache;
  cache.subscribe("g", {"a"});
  (void)cache.group_hash(*image, names{"a"});
  cache.subscribe("g", {"b"});
  EXPECT_EQ(cache.counters().entries, 0U);
  EXPECT_THAT(cache.invalidate({{}, {"a"}, {}}), IsEmpty());
  EXPECT_THAT(cache.invalidate({{}, {"b"}, {}}), ElementsAre("g"));
}

TEST(hash_cache, what_a_joining_group_computed_is_there_once_it_is_subscribed) {
  auto image = make_image({make_topic("a", 2)});
  hash_cache cache;
  (void)cache.group_hash(*image, names{"a"});
  cache.subscribe("g", {"a"});
  (void)cache.group_hash(*image, names{"a"});
  EXPECT_EQ(cache.counters().computations, 1U);
}

TEST(hash_cache, refused_joins_cannot_fill_it) {
  hash_cache cache;
  for (int i = 0; i < 5000; ++i) {
    auto name = "t" + std::to_string(i);
    (void)cache.group_hash(*make_image({make_topic(name, 1)}), names{name});
  }
  EXPECT_LE(cache.counters().entries, 1000U);
}

/// Random deltas and heartbeats: a topic is computed exactly when some group asks for the first time after a delta
/// touched it (spec 02, section 9), and every answer equals the hash computed without a cache.
TEST(hash_cache, computes_once_per_touched_topic_and_refresh) {
  std::mt19937_64 random(20);
  auto image = make_image({});
  hash_cache cache;
  std::map<std::string, std::set<std::string>> groups{{"g1", {"a", "b"}}, {"g2", {"b", "c"}}, {"g3", {"a", "c", "d"}}};
  for (const auto& [group, topics] : groups) cache.subscribe(group, topics);
  std::set<std::string> known;
  std::uint64_t expected = 0;
  for (std::int64_t step = 0; step < 3000; ++step) {
    std::string name(1, static_cast<char>('a' + random() % 4));
    image_builder builder(image);
    if (random() % 4 == 0) {
      builder.remove_topic(name);
    } else if (random() % 2 == 0) {
      builder.put_topic(make_topic(name, random() % 3, random() % 2));
    }
    auto next = builder.build(step);
    auto change = difference(*image, *next);
    for (const auto& touched : change.touched()) known.erase(touched);
    (void)cache.invalidate(change);
    image = next;
    auto group = std::next(groups.begin(), static_cast<std::ptrdiff_t>(random() % 3));
    for (const auto& topic : group->second) {
      if (image->find(topic) != nullptr && known.insert(topic).second) ++expected;
    }
    names required(group->second.begin(), group->second.end());
    ASSERT_EQ(cache.group_hash(*image, required), plain_group_hash(*image, required));
    ASSERT_EQ(cache.counters().computations, expected);
  }
}

}  // namespace
}  // namespace weir::metadata
