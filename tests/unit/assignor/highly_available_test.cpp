// The planner `highly_available` on small groups, by the steps of spec 03, 8.3.
#include "assignor/highly_available.hpp"

#include <gtest/gtest.h>

#include "assignor/validate.hpp"
#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;

plan assign(const owned_group& group) {
  auto made = test::assigned(highly_available{}, group);
  EXPECT_TRUE(made) << made.error().message;
  return made.value_or(plan{});
}

task_set active(const owned_group& group, const char* member) { return assign(group).at(member).active; }

TEST(highly_available, is_called_highly_available) {
  EXPECT_EQ(highly_available{}.name(), "highly_available");
  EXPECT_FALSE(highly_available{}.assign(owned_group{{}, {{"0", 1}}}.input()));
}

TEST(highly_available, s8_3_step_1_stateful_tasks_are_spread_by_themselves_not_only_counted) {
  // Four tasks each would also be two stateful ones on one side (case rc31).
  owned_group group{{{"A", "a", {{"0", {0, 1, 2, 3, 4, 5}}, {"1", {0, 1}}}}, {"B", "b"}},
                    {{"0", 6, false}, {"1", 2, true}}};
  const auto made = assign(group);
  EXPECT_EQ(made.at("A").active, (task_set{{"0", {0, 1, 2}}, {"1", {0}}}));
  EXPECT_EQ(made.at("B").active, (task_set{{"0", {3, 4, 5}}, {"1", {1}}}));
}

TEST(highly_available, s8_3_step_1_shares_are_in_proportion_to_threads) {
  const owned_group group{{{"A1", "a"}, {"A2", "a"}, {"A3", "a"}, {"B", "b"}}, {{"0", 8}}};
  const auto made = assign(group);
  for (const auto& [member, tasks] : made) EXPECT_EQ(test::count(tasks.active), 2) << member;
}

TEST(highly_available, s8_3_step_2_gives_up_of_the_subtopology_it_holds_most_of_above_its_share) {
  const owned_group group{{{"A", "a", {{"0", {0, 1, 2, 3, 4, 5, 6, 7}}, {"1", {0, 1}}}}, {"B", "b"}},
                          {{"0", 8}, {"1", 2}}};
  EXPECT_EQ(active(group, "A"), (task_set{{"0", {0, 1, 2, 3}}, {"1", {0}}}));
}

TEST(highly_available, s8_3_step_2_gives_up_first_what_the_newcomer_has_caught_up_on_then_what_it_has_begun) {
  owned_group group{{{"A", "a", {{"0", {0, 1, 2, 3}}}}, {"B", "b"}}, {{"0", 4}}};
  group.members[1].offsets = {{"0", {{0, 90'000}, {1, 50'000}}}};
  group.members[1].end_offsets = {{"0", {{0, 90'001}, {1, 90'000}}}};
  EXPECT_EQ(active(group, "B"), (task_set{{"0", {0, 1}}}));
  group.members[1] = {"B", "b"};
  group.members[1].warmup = {{"0", {1}}};  // in progress, nothing reported yet
  EXPECT_EQ(active(group, "B"), (task_set{{"0", {1, 3}}}));
}

TEST(highly_available, s8_3_step_2_the_lag_alone_moves_nothing) {
  owned_group group{{{"A", "a", {{"0", {0, 1}}}}, {"B", "b", {{"0", {2, 3}}}}}, {{"0", 4}}};
  const auto settled = assign(group);
  for (const std::int64_t offset : {0, 80'000, 100'000}) {
    group.members[0].offsets = {{"0", {{2, offset}, {3, 100'000 - offset}}}};
    group.members[0].end_offsets = {{"0", {{2, 100'000}, {3, 100'000}}}};
    EXPECT_EQ(assign(group), settled) << offset;
  }
}

// Three tasks of D are free; A and B may take one or two.
owned_group without_owner() {
  return {{{"A", "a", {{"0", {0}}}}, {"B", "b", {{"0", {1}}}}, {"C", "c", {{"0", {2}}}}}, {{"0", 6}}};
}

TEST(highly_available, s8_3_step_3_an_orphan_goes_to_the_copy_that_is_least_behind) {
  auto group = without_owner();
  group.members[0].offsets = {{"0", {{3, 95'000}}}};
  group.members[1].offsets = {{"0", {{3, 99'000}}}};
  group.members[1].end_offsets = {{"0", {{3, 100'000}}}};
  EXPECT_TRUE(test::contains(active(group, "B"), "0", 3));
  group.members[0].offsets = {{"0", {{3, 99'500}}}};
  EXPECT_TRUE(test::contains(active(group, "A"), "0", 3));
}

TEST(highly_available, s8_3_step_3_as_many_orphans_as_possible_find_a_copy) {
  // A could take 3 or 4, B only 3: A takes 4 although 3 is nearer.
  auto group = without_owner();
  group.members[0].offsets = {{"0", {{3, 100'000}, {4, 95'000}}}};
  group.members[1].offsets = {{"0", {{3, 95'000}}}};
  group.members[2].end_offsets = {{"0", {{3, 100'000}, {4, 100'000}}}};
  const auto made = assign(group);
  EXPECT_TRUE(test::contains(made.at("A").active, "0", 4));
  EXPECT_TRUE(test::contains(made.at("B").active, "0", 3));
}

TEST(highly_available, s8_2_an_offset_without_an_end_offset_is_no_caught_up_copy) {
  auto group = without_owner();
  group.members[0].offsets = {{"0", {{3, 1'000'000}}}};  // nobody knows the end
  group.members[1].offsets = {{"0", {{4, 100}}}};
  group.members[1].end_offsets = {{"0", {{4, 100}}}};
  const auto made = assign(group);
  EXPECT_TRUE(test::contains(made.at("B").active, "0", 4));
  EXPECT_TRUE(test::contains(made.at("A").active, "0", 3));  // still better than nothing
}

TEST(highly_available, s8_3_step_3_with_racks_a_task_goes_near_its_partitions_if_that_costs_no_balance) {
  owned_group group{{{"A", "a"}, {"B", "b"}}, {{"0", 4}}};
  group.members[0].rack = "east";
  group.members[1].rack = "west";
  group.subtopologies[0].racks = {{"east"}, {"west"}, {"west", "east"}, {"east"}};
  EXPECT_EQ(active(group, "A"), (task_set{{"0", {0, 3}}}));
  group.subtopologies[0].racks = {{"east"}, {"east"}, {"east"}, {"east"}};
  EXPECT_EQ(test::count(active(group, "A")), 2);
  group.subtopologies[0].stateful = false;
  group.subtopologies[0].racks = {{"west"}, {"west"}, {"east"}};
  EXPECT_EQ(active(group, "A"), (task_set{{"0", {2, 3}}}));
}

TEST(highly_available, s8_3_step_4_stateless_tasks_fill_up_and_each_subtopology_is_even) {
  owned_group group{{{"A", "a", {{"0", {0, 1, 2, 3}}}}, {"B", "b", {{"1", {0, 1, 2, 3}}}}},
                    {{"0", 4, false}, {"1", 4, false}}};
  EXPECT_EQ(active(group, "A"), (task_set{{"0", {0, 1}}, {"1", {2, 3}}}));
}

TEST(highly_available, s8_3_step_5_standbys_differ_by_the_most_important_tag_first) {
  owned_group group{{{"A", "a"}, {"B", "b"}, {"C", "c"}, {"D", "d"}}, {{"0", 1}}};
  group.members[0].tags = {{"zone", "1"}, {"cluster", "x"}};
  group.members[1].tags = {{"zone", "1"}, {"cluster", "y"}};
  group.members[2].tags = {{"zone", "2"}, {"cluster", "x"}};
  group.members[3].tags = {{"zone", "1"}, {"cluster", "x"}};
  group.members[0].active = {{"0", {0}}};
  group.standby_replicas = 1;
  group.rack_aware_tags = {"zone", "cluster"};
  EXPECT_EQ(test::count(assign(group).at("C").standby), 1);
  group.rack_aware_tags = {"cluster", "zone"};
  EXPECT_EQ(test::count(assign(group).at("B").standby), 1);
  group.standby_replicas = 2;  // a second value of each key comes before anything else
  const auto made = assign(group);
  EXPECT_EQ(test::count(made.at("B").standby), 1);
  EXPECT_EQ(test::count(made.at("C").standby), 1);
}

TEST(highly_available, s8_3_step_5_a_standby_in_the_wrong_place_moves_and_one_in_the_right_place_stays) {
  owned_group group{{{"A", "a", {{"0", {0}}}}, {"B", "b", {}, {{"0", {0}}}}, {"C", "c"}}, {{"0", 1}}};
  group.standby_replicas = 1;
  group.rack_aware_tags = {"zone"};
  group.members[0].tags = group.members[1].tags = {{"zone", "1"}};
  group.members[2].tags = {{"zone", "2"}};
  EXPECT_EQ(test::count(assign(group).at("C").standby), 1);
  group.members[1].tags = {{"zone", "3"}};
  EXPECT_EQ(test::count(assign(group).at("B").standby), 1);
}

TEST(highly_available, s8_3_step_5_standbys_of_one_process_are_spread_over_many) {
  owned_group group;
  for (const std::string number : {"1", "2", "3", "4", "5"}) group.members.push_back({"m" + number, "p" + number});
  group.subtopologies = {{"0", 20}};
  group.standby_replicas = 1;
  const auto made = assign(group);
  for (const auto& [other, tasks] : made) {
    std::int64_t shared = 0;
    for (const auto partition : made.at("m1").active.at("0")) shared += test::contains(tasks.standby, "0", partition);
    EXPECT_LE(shared, 2) << other;
    EXPECT_EQ(test::count(tasks.standby), 4) << other;
  }
}

TEST(highly_available, s8_3_step_5_d_a_newcomer_gets_its_part_of_the_standbys) {
  owned_group group{{{"A", "a"}, {"B", "b"}}, {{"0", 6}}};
  group.standby_replicas = 1;
  group.hold(assign(group));
  group.members.push_back({"C", "c"});
  const auto made = assign(group);
  for (const auto& [member, tasks] : made) {
    EXPECT_EQ(test::count(tasks.active) + test::count(tasks.standby), 4) << member;
  }
}

TEST(highly_available, s8_3_step_6_a_promoted_standby_stays_with_its_thread) {
  owned_group group{{{"A", "a", {{"0", {0}}}}, {"B1", "b"}, {"B2", "b", {}, {{"0", {1}}}}}, {{"0", 2}}};
  EXPECT_EQ(active(group, "B2"), (task_set{{"0", {1}}}));
}

TEST(highly_available, s8_8_1_with_failover_slack_orphans_stay_with_their_copies) {
  auto group = without_owner();
  group.members[0].offsets = {{"0", {{3, 100'000}, {4, 100'000}, {5, 100'000}}}};
  group.members[0].end_offsets = group.members[0].offsets;
  EXPECT_EQ(test::count(active(group, "A")), 2);
  group.failover_slack = 1;
  EXPECT_EQ(test::count(active(group, "A")), 3);
}

TEST(highly_available, a_task_that_is_being_revoked_still_counts_as_its_owners) {
  owned_group group{{{"A", "a", {{"0", {0}}}}, {"B", "b"}}, {{"0", 2}}};
  group.members[0].revoking = {{"0", {1}}};
  group.members[1].warmup = {{"0", {1}}};
  EXPECT_EQ(active(group, "B"), (task_set{{"0", {1}}}));
}

TEST(highly_available, s8_3_step_5_thousands_of_standbys_that_one_process_kept_are_spread) {
  owned_group group{{{"000", "p0"}}, {{"0", 6'000}}, 1};
  for (std::int32_t partition = 0; partition < 6'000; ++partition) group.members[0].active["0"].insert(partition);
  for (int i = 1; i < 100; ++i) group.members.push_back({std::to_string(100 + i), "p" + std::to_string(i)});
  for (const auto& [id, tasks] : assign(group)) {
    EXPECT_EQ(test::count(tasks.active), 60) << id;
    EXPECT_EQ(test::count(tasks.standby), 60) << id;
  }
}

}  // namespace
}  // namespace weir::assignor
