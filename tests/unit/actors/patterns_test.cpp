// Patterns of source topics at a whole node: readers see what they match now, and nobody waits long for them.
#include <gtest/gtest.h>

#include "group/topology/patterns.hpp"
#include "tests/unit/actors/world.hpp"

namespace weir::actors {
namespace {

protocol::streams_group_heartbeat_request joining(const std::vector<std::string>& patterns) {
  auto request = heartbeat_request("A", 0);
  auto& part = request.topology->subtopologies.front();
  part.source_topics.clear();
  for (const auto& one : patterns) part.source_topic_regex.emplace_back(text(one));
  return request;
}

std::vector<std::string> described_topics(world& w) {
  const auto described = w.ask<protocol::streams_group_describe_response::described_group_data>(
      [&](auto done) { w.coordinator->describe("g", done); });
  std::vector<std::string> names;
  for (const auto& name : described.topology->subtopologies->front().source_topics) names.push_back(name.str());
  return names;
}

TEST(patterns_at_a_node, readers_of_an_empty_group_see_what_they_match_now) {
  world w;
  const auto joined = w.answers->find(w.send(joining({"fo.*"})));
  ASSERT_TRUE(joined);
  w.beat("A", -1);
  EXPECT_EQ(described_topics(w), (std::vector<std::string>{"foo"}));
  w.publish(image_with(w.image(), "fox", 2, 8));
  EXPECT_EQ(described_topics(w), (std::vector<std::string>{"foo", "fox"}));
  EXPECT_EQ(w.view()->group.soft.matches->names.front(), (std::vector<std::string>{"foo", "fox"}));
  w.stop();
  w.start();
  EXPECT_EQ(w.view()->group.soft.matches->names.front(), (std::vector<std::string>{"foo", "fox"}));
}

/// So many topics that eight of the patterns below take a second or two for them.
metadata::image_ptr many_topics(const metadata::image_ptr& base) {
  metadata::image_builder builder(base);
  for (int i = 0; i < 400; ++i) {
    metadata::topic one;
    one.id = uuid{2, static_cast<std::uint64_t>(i) + 1};
    for (int bit = 0; bit < 60; ++bit) one.name.push_back(((i * 7 + bit * bit) >> (bit % 7)) % 2 == 0 ? 'a' : 'b');
    one.name += std::to_string(i);
    one.partition_racks.resize(1);
    builder.put_topic(std::move(one));
  }
  return builder.build(base->version() + 1);
}
const std::string wild_pattern = "(?:a?b?){300}[0-9]*";

TEST(patterns_at_a_node, a_join_waits_until_they_have_been_tried_and_the_group_goes_on_by_itself) {
  world w;
  w.publish(many_topics(w.image()));
  const auto patterns = std::vector<std::string>(8, wild_pattern);
  const auto refused = w.answers->find(w.send(joining(patterns)));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error_code, code_of(protocol::error_code::coordinator_load_in_progress));
  EXPECT_FALSE(w.view()) << "nothing is stored";
  std::optional<response> joined;
  for (int i = 0; i < 5'000 && (!joined || joined->error_code != 0); ++i) {
    w.pass(100);
    joined = w.answers->find(w.send(joining(patterns)));
  }
  EXPECT_EQ(joined->error_code, 0);
  EXPECT_EQ(w.view()->group.soft.matches->names.size(), 8U);
}

TEST(patterns_at_a_node, readers_are_told_how_far_they_have_been_tried) {
  world w;
  w.send(joining(std::vector<std::string>(8, wild_pattern)));
  const auto reasons = [&] {
    return w.ask<told_health>([&](auto done) { w.coordinator->health_of("g", {}, done); })->waits;
  };
  const auto row = [&] {
    return w.ask<std::vector<group::group_summary>>([&](auto done) { w.coordinator->list(done); }).front();
  };
  EXPECT_FALSE(w.view()->group.soft.trying);
  EXPECT_FALSE(row().is_held_up);
  w.publish(many_topics(w.image()));
  const auto trying = w.view()->group.soft.trying;
  ASSERT_TRUE(trying);
  EXPECT_EQ(trying->topics, w.image()->topics().size());
  EXPECT_GT(trying->untried, 0U);
  EXPECT_LT(trying->untried, trying->topics);
  EXPECT_TRUE(row().is_held_up);
  EXPECT_TRUE(reasons().front().starts_with("the patterns of source topics to be tried: ")) << reasons().front();
  std::size_t left = trying->untried;
  for (int i = 0; i < 5'000 && left > 0; ++i) {
    w.pass(100);
    w.beat("A", 1);
    const auto now_so = w.view()->group.soft.trying;
    const auto now_left = now_so ? now_so->untried : 0;
    EXPECT_LE(now_left, left);
    left = now_left;
  }
  EXPECT_EQ(left, 0U);
  EXPECT_FALSE(row().is_held_up);
}

TEST(patterns_at_a_node, one_group_that_takes_long_does_not_keep_an_ordinary_one_waiting) {
  world w;
  w.publish(many_topics(w.image()));
  auto wild = joining(std::vector<std::string>(8, wild_pattern));
  wild.group_id = "wild";
  for (int i = 0; i < 20; ++i) w.send(wild);
  std::optional<response> joined;
  int tries = 0;
  for (; tries < 100 && (!joined || joined->error_code != 0); ++tries) {
    joined = w.answers->find(w.send(joining({"fo.*"})));
    w.pass(100);
  }
  EXPECT_EQ(joined->error_code, 0);
  EXPECT_LE(tries, 20);
}

TEST(patterns_at_a_node, of_consumer_groups_are_tried_in_turns_too) {
  world w;
  w.publish(many_topics(w.image()));
  using answer = protocol::consumer_group_heartbeat_response;
  const auto beat = [&](std::int32_t epoch, std::optional<std::string> pattern) {
    std::optional<answer> told;
    auto request = std::make_shared<protocol::consumer_group_heartbeat_request>();
    request->group_id = "c";
    request->member_id = "m";
    request->member_epoch = epoch;
    if (epoch == 0) {
      request->rebalance_timeout_ms = 30'000;
      request->topic_partitions.emplace();
    }
    if (pattern) request->subscribed_topic_regex = text(*pattern);
    w.coordinator->heartbeat_consumer(std::move(request), {.version = 1, .client_id = "c", .client_host = "/h",
                                                           .new_member_id = ""},
                                      [&](auto given) { told = std::move(given); });
    w.run();
    return told.value_or(answer());
  };
  const auto epoch = beat(0, "fo.*").member_epoch;
  ASSERT_GT(epoch, 0);
  const auto pending = code_of(protocol::error_code::coordinator_load_in_progress);
  EXPECT_EQ(beat(epoch, wild_pattern).error_code, pending);
  EXPECT_EQ(beat(epoch, {}).error_code, 0) << "it goes on with the pattern it has";
  auto told = beat(epoch, wild_pattern);
  for (int i = 0; i < 500 && told.error_code == pending; ++i) {
    w.pass(1'000);
    told = beat(epoch, wild_pattern);
  }
  EXPECT_EQ(told.error_code, 0) << "its session goes on meanwhile";
}

}  // namespace
}  // namespace weir::actors
