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

TEST(patterns_at_a_node, whoever_asks_waits_for_one_turn_of_them_at_most) {
  world w;
  metadata::image_builder builder(w.image());
  for (int i = 0; i < 1'500; ++i) {  // what follows takes some 10 s for all of them
    metadata::topic one;
    one.id = uuid{2, static_cast<std::uint64_t>(i) + 1};
    for (int bit = 0; bit < 60; ++bit) one.name.push_back(((i * 7 + bit * bit) >> (bit % 7)) % 2 == 0 ? 'a' : 'b');
    one.name += std::to_string(i);
    one.partition_racks.resize(1);
    builder.put_topic(std::move(one));
  }
  w.publish(builder.build(2));
  const auto patterns = std::vector<std::string>(8, "(?:a?b?){300}[0-9]*");
  const auto refused = w.answers->find(w.send(joining(patterns)));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error_code, code_of(protocol::error_code::coordinator_load_in_progress));
  std::optional<response> joined;
  for (int i = 0; i < 5'000 && (!joined || joined->error_code != 0); ++i) {
    w.pass(100);
    joined = w.answers->find(w.send(joining(patterns)));
  }
  EXPECT_EQ(joined->error_code, 0) << "the group goes on by itself";
  EXPECT_EQ(w.view()->group.soft.matches->names.size(), 8U);
}

}  // namespace
}  // namespace weir::actors
