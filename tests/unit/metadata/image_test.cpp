// Images are snapshots that share what did not change; deltas name what did (spec 02, 3 and 8.4).
#include "metadata/image.hpp"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "metadata/delta.hpp"

namespace weir::metadata {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

topic make_topic(std::string name, std::uint64_t id, std::vector<std::vector<std::string>> racks) {
  return {uuid{1, id}, std::move(name), std::move(racks)};
}

image_ptr three_topics() {
  return image_builder(nullptr)
      .set_cluster_id("cluster")
      .put_topic(make_topic("b", 2, {{"r1"}, {"r2"}}))
      .put_topic(make_topic("a", 3, {{}}))
      .put_topic(make_topic("c", 1, {{}, {}, {}}))
      .build(7);
}

TEST(image, finds_topics_by_name_and_by_id) {
  auto image = three_topics();
  EXPECT_EQ(image->version(), 7);
  EXPECT_EQ(image->cluster_id(), "cluster");
  ASSERT_NE(image->find("b"), nullptr);
  EXPECT_EQ(image->find("b")->partition_count(), 2);
  EXPECT_EQ(image->find(uuid{1, 1})->name, "c");
  EXPECT_EQ(image->find("bb"), nullptr);
  EXPECT_EQ(image->find(uuid{1, 4}), nullptr);
  EXPECT_FALSE(image->share("nobody"));
}

TEST(image, a_zero_id_finds_nothing) {
  auto image = image_builder(nullptr).put_topic({uuid{}, "old", {{}}}).build(1);
  EXPECT_EQ(image->find(uuid{}), nullptr);
  EXPECT_NE(image->find("old"), nullptr);
}

TEST(image, lists_topics_by_name) {
  auto image = three_topics();
  std::vector<std::string> listed;
  for (const auto& topic : image->topics()) listed.push_back(topic->name);
  EXPECT_THAT(listed, ElementsAre("a", "b", "c"));
}

TEST(image, the_next_image_shares_what_did_not_change) {
  auto before = three_topics();
  auto after = image_builder(before)
                   .put_topic(make_topic("b", 2, {{"r1"}, {"r2"}}))  // the same again, as a poll would
                   .put_topic(make_topic("c", 1, {{}, {}, {}, {}}))
                   .build(8);
  EXPECT_EQ(before->find("a"), after->find("a"));
  EXPECT_EQ(before->find("b"), after->find("b"));
  EXPECT_NE(before->find("c"), after->find("c"));
  EXPECT_EQ(before->find("c")->partition_count(), 3);
  EXPECT_EQ(after->cluster_id(), "cluster");
}

TEST(image, the_last_change_of_a_name_counts) {
  auto image = image_builder(three_topics())
                   .remove_topic("a")
                   .put_topic(make_topic("d", 9, {{}}))
                   .remove_topic("d")
                   .remove_topic("b")
                   .put_topic(make_topic("b", 10, {{}}))
                   .remove_topic("never was")
                   .build(8);
  EXPECT_EQ(image->topics().size(), 2U);
  EXPECT_EQ(image->find("a"), nullptr);
  EXPECT_EQ(image->find(uuid{1, 10})->name, "b");
  EXPECT_EQ(image->find(uuid{1, 2}), nullptr);
}

/// Lookups of an image grown step by step equal those of a plain map.
TEST(image, finds_the_same_after_many_changes) {
  std::mt19937_64 random(5);
  std::map<std::string, std::uint64_t> expected;
  auto image = image_builder(nullptr).build(0);
  for (std::int64_t step = 1; step <= 300; ++step) {
    image_builder builder(image);
    for (auto n = random() % 4; n > 0; --n) {
      auto name = "t" + std::to_string(random() % 40);
      if (random() % 3 == 0) {
        expected.erase(name);
        builder.remove_topic(name);
      } else {
        auto id = 1000 * static_cast<std::uint64_t>(step) + n;
        expected[name] = id;
        builder.put_topic(make_topic(name, id, {{}}));
      }
    }
    image = builder.build(step);
    ASSERT_EQ(image->topics().size(), expected.size());
    for (const auto& [name, id] : expected) {
      ASSERT_EQ(image->find(name)->id, (uuid{1, id}));
      ASSERT_EQ(image->find(uuid{1, id}), image->find(name));
    }
  }
}

TEST(delta, names_created_changed_and_deleted_topics) {
  auto before = three_topics();
  auto after = image_builder(before)
                   .remove_topic("a")
                   .put_topic(make_topic("b", 2, {{"r1"}, {"r2"}, {"r1"}}))
                   .put_topic(make_topic("aa", 5, {{}}))
                   .put_topic(make_topic("z", 6, {{}}))
                   .build(8);
  auto found = difference(*before, *after);
  EXPECT_THAT(found.created, ElementsAre("aa", "z"));
  EXPECT_THAT(found.changed, ElementsAre("b"));
  EXPECT_THAT(found.deleted, ElementsAre("a"));
  EXPECT_THAT(found.touched(), ElementsAre("a", "aa", "b", "z"));
  auto back = difference(*after, *before);
  EXPECT_EQ(back.created, found.deleted);
  EXPECT_EQ(back.deleted, found.created);
  EXPECT_EQ(back.changed, found.changed);
}

TEST(delta, a_topic_deleted_and_created_again_is_changed) {
  auto before = three_topics();
  auto after = image_builder(before).remove_topic("a").put_topic(make_topic("a", 33, {{}})).build(8);
  EXPECT_EQ(difference(*before, *after), (delta{{}, {"a"}, {}}));
}

TEST(delta, another_rack_of_a_broker_changes_its_topics) {
  auto before = three_topics();
  auto after = image_builder(before).put_topic(make_topic("b", 2, {{"r1"}, {"r3"}})).build(8);
  EXPECT_EQ(difference(*before, *after), (delta{{}, {"b"}, {}}));
}

TEST(delta, equal_topics_of_images_built_apart_are_no_difference) {
  EXPECT_TRUE(difference(*three_topics(), *three_topics()).empty());
  EXPECT_THAT(difference(image{}, *three_topics()).created, ElementsAre("a", "b", "c"));
  EXPECT_THAT(difference(image{}, image{}).touched(), IsEmpty());
}

}  // namespace
}  // namespace weir::metadata
