// What members have said outlives a write that failed (spec 04, 9.2).
#include "group/carry_over.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace weir::group {
namespace {

streams_group group_of(std::initializer_list<const char*> ids) {
  streams_group group;
  group.id = "g";
  for (const auto* id : ids) {
    apply(group, member_metadata_record{.member_id = id, .value = member_metadata{}});
    apply(group, current_assignment_record{.member_id = id, .value = current_assignment{}});
  }
  return group;
}

TEST(carry_over, s9_2_members_that_are_still_there_keep_what_they_reported_others_do_not_come_back) {
  auto group = group_of({"A"});
  soft_state before;
  before.members["A"].session_deadline_ms = 77;
  before.members["A"].offsets = task_offsets{{"0", {{1, 5}}}};
  before.members["gone"].session_deadline_ms = 78;
  carry_over(group, before);
  EXPECT_EQ(group.soft.members.size(), 1U);
  EXPECT_EQ(group.soft.members.at("A").session_deadline_ms, 77);
  EXPECT_EQ(group.soft.members.at("A").offsets.get().at("0").at(1), 5);
}

TEST(carry_over, counts_of_commits_outlive_a_failed_write) {
  auto group = group_of({"A"});
  soft_state before;
  before.members["A"].commits.accepted = 3;
  before.commits_refused_of_strangers = 2;
  carry_over(group, before);
  EXPECT_EQ(group.soft.members.at("A").commits.accepted, 3U);
  EXPECT_EQ(group.soft.commits_refused_of_strangers, 2U);
}

TEST(carry_over, s9_2_who_has_to_revoke_again_has_the_deadline_that_the_lost_write_had_cancelled) {
  auto group = group_of({"A"});
  group.soft.members["A"].rebalance_deadline_ms = 500;
  group.soft.members["A"].rebalance_epoch = 3;
  soft_state before;
  before.members["A"].session_deadline_ms = 77;
  carry_over(group, before);
  EXPECT_EQ(group.soft.members.at("A").rebalance_deadline_ms, 500);
  EXPECT_EQ(group.soft.members.at("A").rebalance_epoch, 3);
}

TEST(carry_over, s9_2_former_topologies_are_remembered_as_long_as_there_are_members) {
  soft_state before;
  before.former_topologies[0] = {.topology = std::make_shared<const topology>(), .matches = {}};
  auto group = group_of({"A"});
  carry_over(group, before);
  EXPECT_EQ(group.soft.former_topologies.size(), 1U);
  auto empty = group_of({});
  carry_over(empty, before);
  EXPECT_TRUE(empty.soft.former_topologies.empty());
}

TEST(carry_over, a_delay_that_an_undone_join_had_started_goes_with_it) {
  soft_state before;
  before.initial_delay_deadline_ms = 9;
  auto waiting = group_of({"A"});
  waiting.metadata.epoch = 4;
  waiting.target_info.assignment_epoch = 3;
  auto settled = waiting;
  settled.target_info.assignment_epoch = 4;
  carry_over(waiting, before);
  carry_over(settled, before);
  EXPECT_EQ(waiting.soft.initial_delay_deadline_ms, 9);
  EXPECT_FALSE(settled.soft.initial_delay_deadline_ms);
}

}  // namespace
}  // namespace weir::group
