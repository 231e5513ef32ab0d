// Counts and balance of a group: what members hold, by thread and by process.
#include "group/balance.hpp"

#include <gtest/gtest.h>

namespace weir::group {
namespace {

struct spread_group {
  streams_group group;

  explicit spread_group(std::int32_t tasks) {
    group.kind = group_kind::streams;
    group.topology.emplace().subtopologies.push_back({.id = "0",
                                                      .source_topics = {"in"},
                                                      .source_topic_regex = {},
                                                      .state_changelog_topics = {{"log", 0, 0, {}}},
                                                      .repartition_sink_topics = {},
                                                      .repartition_source_topics = {},
                                                      .copartition_groups = {}});
    configured_topology made;
    made.subtopologies.emplace()["0"].tasks = tasks;
    group.soft.configured = std::make_shared<const configured_topology>(std::move(made));
  }
  member& add(const std::string& id, const std::string& process, std::vector<std::int32_t> active) {
    auto& made = group.members[id];
    made.metadata.process_id = process;
    made.metadata.topology_epoch = 0;
    for (const auto partition : active) made.current.assigned.active["0"][partition] = 1;
    return made;
  }
};

TEST(balance, of_an_even_group) {
  spread_group g(4);
  g.add("a", "p", {0, 1}).current.assigned.standby["0"] = {2, 3};
  g.add("b", "q", {2, 3}).current.assigned.warmup["0"] = {0};
  const auto spread = spread_of(g.group);
  EXPECT_EQ(spread.counts, (group_counts{.members = 2, .away = 0, .processes = 2, .tasks = 4, .active = 4, .standby = 2,
                                         .warmup = 1, .stateful_active = 4, .unassigned = 0, .to_revoke = 0,
                                         .waiting_to_move = 0}));
  EXPECT_TRUE(spread.balance.even);
  EXPECT_EQ(spread.balance.total_per_member, (task_spread{3, 4}));
  EXPECT_EQ(spread.balance.text, "even: 2 to 2 active tasks a thread");
}

TEST(balance, of_an_uneven_group_by_thread_and_process) {
  spread_group g(5);
  g.add("a", "p", {0, 1, 2});
  g.add("b", "p", {3});
  g.add("c", "q", {4});
  const auto [counts, balance] = spread_of(g.group);
  EXPECT_FALSE(balance.even);
  EXPECT_EQ(balance.active_per_member, (task_spread{1, 3}));
  EXPECT_EQ(balance.active_per_process, (task_spread{1, 4}));
  EXPECT_EQ(balance.stateful_active_per_process, (task_spread{1, 4}));
  EXPECT_EQ(balance.text, "uneven: 1 to 3 active tasks a thread");
}

TEST(balance, tasks_that_run_nowhere_are_told_first) {
  spread_group g(3);
  auto& a = g.add("a", "p", {0});
  a.current.pending_revocation.active["0"][1] = 1;
  const auto spread = spread_of(g.group);
  EXPECT_EQ(spread.counts.unassigned, 2);
  EXPECT_EQ(spread.counts.to_revoke, 1);
  EXPECT_FALSE(spread.balance.even);
  EXPECT_EQ(spread.balance.text, "2 tasks run nowhere");
}

TEST(balance, of_more_threads_than_tasks_and_a_member_that_is_away) {
  spread_group g(1);
  g.add("a", "p", {0});
  g.add("b", "q", {});
  g.add("c", "r", {}).current.member_epoch = -2;
  const auto spread = spread_of(g.group);
  EXPECT_EQ(spread.counts.away, 1);
  EXPECT_EQ(spread.counts.processes, 2);
  EXPECT_EQ(spread.balance.idle_members, 1);
  EXPECT_EQ(spread.balance.idle_processes, 1);
  EXPECT_TRUE(spread.balance.even);
  EXPECT_NE(spread.balance.text.find("more threads than tasks, 1 have none"), std::string::npos);
}

TEST(balance, of_tasks_of_another_topology) {
  spread_group g(2);
  g.add("a", "p", {0, 1});
  g.group.topology->epoch = 1;
  EXPECT_EQ(spread_of(g.group).counts.unassigned, 2) << "nobody runs the newest";
}

TEST(balance, of_a_group_without_members) {
  const auto spread = spread_of(streams_group());
  EXPECT_EQ(spread.counts, group_counts());
  EXPECT_EQ(spread.balance.text, "no member");
}

}  // namespace
}  // namespace weir::group
