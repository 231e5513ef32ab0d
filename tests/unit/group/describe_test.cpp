// Spec 05, 4.9: what StreamsGroupDescribe shows; the summary; what a group waits for, in words.
#include "group/describe.hpp"

#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

topology with_internal_topics() {
  auto app = reading({"zoo", "foo"}, "cl");
  app.subtopologies[0].repartition_source_topics = {
      {.name = "rp", .partitions = 0, .replication_factor = 1, .configs = {{"retention.ms", "-1"}}}};
  auto second = reading({"foo"}).subtopologies[0];
  second.id = "00";
  second.repartition_sink_topics = {"rp"};
  app.subtopologies.push_back(second);
  return app;
}

TEST(describe, topology_is_raw_until_ready_then_has_the_decided_counts) {
  scenario s(false);
  s.topic("zoo", 2).app(with_internal_topics()).join("A");
  auto shown = describe(s.state(), s.view());
  EXPECT_EQ(shown.group_state, "NotReady");
  ASSERT_TRUE(shown.topology && shown.topology->subtopologies);
  EXPECT_EQ(shown.topology->subtopologies->front().repartition_source_topics.front().partitions, 0);
  s.topic("rp", 4).topic("cl", 4);
  s.hb("A", 2);
  shown = describe(s.state(), s.view());
  EXPECT_EQ(shown.group_state, "Stable");
  const auto& first = shown.topology->subtopologies->front();
  EXPECT_EQ(first.subtopology_id, "0");
  EXPECT_EQ(first.source_topics.front(), "foo") << "sorted";
  EXPECT_EQ(first.repartition_source_topics.front().partitions, 4);
  EXPECT_EQ(first.repartition_source_topics.front().topic_configs.front().key, "retention.ms");
  EXPECT_EQ(first.state_changelog_topics.front().partitions, 4);
  s.reload();
  shown = describe(s.state(), s.view());
  EXPECT_EQ(shown.topology->subtopologies->front().state_changelog_topics.front().partitions, 4)
      << "built on demand after a load";
}

TEST(describe, names_a_repeated_source_topic_once_when_configured) {  // seen at a 4.4 broker
  const auto names = [](const scenario& s) {
    return describe(s.state(), s.view()).topology->subtopologies->front().source_topics.size();
  };
  scenario s(false);
  s.join("A", {.app = reading({"foo", "foo"})});
  EXPECT_EQ(names(s), 1U);
  scenario strict(true);  // the heartbeat that makes the group forgets what it configured
  strict.join("A", {.app = reading({"foo", "foo"})});
  EXPECT_EQ(names(strict), 2U);
  strict.hb("A", 2);
  EXPECT_EQ(names(strict), 1U);
  scenario waiting;
  waiting.join("A", {.app = reading({"nowhere", "nowhere"})});
  EXPECT_EQ(names(waiting), 2U);
}

TEST(describe, shows_members) {
  scenario s;
  const std::map<std::string, std::string> tags{{"k", "v"}};
  s.join("A", {.instance = "i1", .rack = "r1", .endpoint = "ha:1", .tags = tags});
  s.hb("A", 2, {.instance = "i1", .offsets = "0_0=10", .end_offsets = "0_0=20"});
  const auto shown = describe(s.state(), s.view());
  EXPECT_EQ(shown.error_code, 0);
  EXPECT_EQ(shown.group_id, "g");
  EXPECT_EQ(shown.group_epoch, 2);
  EXPECT_EQ(shown.assignment_epoch, 2);
  EXPECT_EQ(shown.assignor_name.value(), "sticky");
  ASSERT_EQ(shown.members.size(), 1U);
  const auto& member = shown.members.front();
  EXPECT_EQ(member.member_id, "A");
  EXPECT_EQ(member.member_epoch, 2);
  EXPECT_EQ(member.instance_id.value(), "i1");
  EXPECT_EQ(member.rack_id.value(), "r1");
  EXPECT_EQ(member.client_id, "client");
  EXPECT_EQ(member.client_host, "/127.0.0.1");
  EXPECT_EQ(member.process_id, "p-A");
  EXPECT_EQ(member.user_endpoint->host, "ha");
  EXPECT_EQ(member.client_tags.front().value, "v");
  EXPECT_EQ(member.task_offsets.front().offset, 10);
  EXPECT_EQ(member.task_end_offsets.front().offset, 20);
  EXPECT_EQ(member.assignment.active_tasks.front().partitions, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(member.target_assignment.active_tasks.front().partitions, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_FALSE(member.is_classic);
}

TEST(describe, of_something_else_is_an_error) {
  streams_group nobody;
  nobody.id = "g";
  scenario s;
  const auto shown = describe(nobody, s.view());
  EXPECT_EQ(shown.error_code, 69);
  EXPECT_EQ(shown.group_state, "");
  EXPECT_TRUE(shown.error_message);
}

TEST(summarise, counts) {
  scenario s;
  s.join("A");
  const auto row = summarise(s.state());
  EXPECT_EQ(row.state, group_state::stable);
  EXPECT_EQ(row.members, 1);
  EXPECT_EQ(row.active_tasks, 4);
  EXPECT_EQ(row.group_epoch, 2);
}

}  // namespace
}  // namespace weir::group
