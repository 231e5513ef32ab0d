// The assignor `sticky` on small groups, worked out by hand from spec 03, section 2.
#include "assignor/sticky.hpp"

#include <gtest/gtest.h>

#include "assignor/validate.hpp"
#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;

plan assign(const owned_group& group) {
  auto made = test::assigned(sticky{}, group);
  EXPECT_TRUE(made) << made.error().message;
  return made.value_or(plan{});
}

TEST(sticky, is_called_sticky) { EXPECT_EQ(sticky{}.name(), "sticky"); }

TEST(sticky, s2_2_step_3_spreads_unowned_tasks_in_order_of_subtopology_and_partition) {
  const owned_group group{{{"m1", "p1"}, {"m2", "p2"}}, {{"b", 1, false}, {"a", 3, false}}};
  const plan expected{{"m1", {{{"a", {0, 2}}}, {}}}, {"m2", {{{"a", {1}}, {"b", {0}}}, {}}}};
  EXPECT_EQ(assign(group), expected);
}

TEST(sticky, s2_2_step_1_keeps_what_the_share_allows_and_gives_up_the_highest_partitions) {
  const owned_group group{{{"m1", "p1", {{"a", {0, 1, 2, 3}}}}, {"m2", "p2"}}, {{"a", 4}}};
  const plan expected{{"m1", {{{"a", {0, 1}}}, {}}}, {"m2", {{{"a", {2, 3}}}, {}}}};
  EXPECT_EQ(assign(group), expected);
}

TEST(sticky, s2_1_share_drops_to_floor_once_enough_members_have_ceil) {
  // 7 tasks, 3 members: one may keep 3. m1 gets there first, then 2 is the share of the others.
  owned_group group{{{"m1", "p1", {{"a", {0, 1, 2}}}}, {"m2", "p2", {{"a", {3, 4, 5}}}}, {"m3", "p3"}}, {{"a", 7}}};
  group.members[2].active = {{"a", {6}}};
  const auto made = assign(group);
  EXPECT_EQ(made.at("m1").active, (task_set{{"a", {0, 1, 2}}}));
  EXPECT_EQ(made.at("m2").active, (task_set{{"a", {3, 4}}}));
  EXPECT_EQ(made.at("m3").active, (task_set{{"a", {5, 6}}}));
}

TEST(sticky, q1_threads_of_a_process_share_also_when_another_process_is_as_loaded) {
  owned_group group{{{"m1", "p1", {{"a", {0, 2}}}}, {"m2", "p1"}, {"m3", "p0"}}, {{"a", 4}}};
  const auto made = assign(group);
  EXPECT_EQ(made.at("m1").active, (task_set{{"a", {0, 2}}}));
  EXPECT_EQ(made.at("m2").active, (task_set{{"a", {3}}}));
  EXPECT_EQ(made.at("m3").active, (task_set{{"a", {1}}}));
}

TEST(sticky, s2_2_step_2_an_orphan_goes_to_its_standby) {
  const owned_group group{{{"m1", "p1", {{"a", {0}}}, {{"a", {1}}}}, {"m2", "p2", {}, {{"a", {2}}}}}, {{"a", 4}}};
  const auto made = assign(group);
  EXPECT_EQ(made.at("m1").active, (task_set{{"a", {0, 1}}}));
  EXPECT_EQ(made.at("m2").active, (task_set{{"a", {2, 3}}}));
}

TEST(sticky, s2_1_a_standby_comes_before_a_higher_reported_offset) {
  owned_group group{{{"m1", "p1"}, {"m2", "p2"}}, {{"a", 1}}};
  group.members[0].offsets = {{"a", {{0, 900}}}};
  group.members[1].standby = {{"a", {0}}};
  EXPECT_EQ(assign(group).at("m2").active, (task_set{{"a", {0}}}));
}

TEST(sticky, s2_1_of_reported_offsets_the_higher_wins_and_the_lower_member_id_among_equals) {
  owned_group group{{{"m1", "p1"}, {"m2", "p2"}, {"m3", "p3"}}, {{"a", 1}}};
  group.members[0].offsets = {{"a", {{0, 5}}}};
  group.members[1].offsets = {{"a", {{0, 9}}}};
  group.members[2].offsets = {{"a", {{0, 9}}}};
  EXPECT_EQ(assign(group).at("m2").active, (task_set{{"a", {0}}}));
}

TEST(sticky, s2_1_a_later_candidate_must_be_less_loaded_as_member_and_as_process) {
  // m1 keeps two tasks; task 2 is an orphan that m1 has as standby. m2 reported it: idle member, idle process.
  owned_group group{{{"m1", "p1", {{"a", {0, 1}}}, {{"a", {2}}}}, {"m2", "p2"}}, {{"a", 3}}};
  group.members[1].offsets = {{"a", {{2, 1}}}};
  EXPECT_EQ(assign(group).at("m2").active, (task_set{{"a", {2}}}));
  group.members[1].process = "p1";  // not a less loaded process any more, and m1 has its share: by load, to m2
  group.members.push_back({"m3", "p3"});
  EXPECT_EQ(assign(group).at("m3").active, (task_set{{"a", {1}}}));
}

TEST(sticky, s2_1_of_two_owners_the_one_of_the_highest_member_id_counts) {
  const owned_group group{{{"m2", "p2", {{"a", {0}}}}, {"m1", "p1", {{"a", {0}}}}}, {{"a", 1}}};
  EXPECT_EQ(assign(group).at("m2").active, (task_set{{"a", {0}}}));
}

TEST(sticky, s2_3_the_owner_that_lost_a_task_keeps_it_as_standby) {
  owned_group group{{{"m1", "p1", {{"a", {0, 1}}}}, {"m2", "p2"}, {"m3", "p3"}}, {{"a", 2}}, 1};
  const auto made = assign(group);
  EXPECT_EQ(made.at("m2").active, (task_set{{"a", {1}}}));
  EXPECT_EQ(made.at("m1").standby, (task_set{{"a", {1}}}));
  EXPECT_EQ(made.at("m3").standby, (task_set{{"a", {0}}}));
}

TEST(sticky, ex_34_two_members_of_one_process_no_standby) {
  owned_group group{{{"A", "P"}, {"B", "P"}}, {{"0", 2}}, 1};
  auto made = assign(group);
  EXPECT_EQ(made.at("A"), (member_plan{{{"0", {0}}}, {}}));
  EXPECT_EQ(made.at("B"), (member_plan{{{"0", {1}}}, {}}));

  group.hold(made);
  group.members.push_back({"C", "Q"});
  made = assign(group);
  EXPECT_EQ(made.at("A"), (member_plan{{{"0", {0}}}, {}}));
  EXPECT_EQ(made.at("B"), (member_plan{{{"0", {1}}}, {}}));
  EXPECT_EQ(made.at("C"), (member_plan{{}, {{"0", {0, 1}}}}));
}

TEST(sticky, s6_more_standbys_than_processes_are_given_up) {
  const owned_group group{{{"m1", "p1"}, {"m2", "p2"}}, {{"a", 2}}, 5};
  const plan expected{{"m1", {{{"a", {0}}}, {{"a", {1}}}}}, {"m2", {{{"a", {1}}}, {{"a", {0}}}}}};
  EXPECT_EQ(assign(group), expected);
}

TEST(sticky, s2_tasks_that_no_longer_exist_are_ignored) {
  owned_group group{{{"m1", "p1"}}, {{"a", 1}, {"z", 1}}};
  group.members[0].active = {{"a", {-1, 0, 7}}, {"gone", {0}}};
  group.members[0].standby = {{"a", {9}}, {"gone", {1}}};
  group.members[0].offsets = {{"a", {{12, 3}}}, {"gone", {{0, 3}}}};
  EXPECT_EQ(assign(group).at("m1"), (member_plan{{{"a", {0}}, {"z", {0}}}, {}}));
}

TEST(sticky, s3_a_member_without_tasks_is_in_the_plan) {
  const owned_group group{{{"m1", "p1"}, {"m2", "p2"}}, {{"a", 1, false}}, 1};
  const plan expected{{"m1", {{{"a", {0}}}, {}}}, {"m2", {}}};
  EXPECT_EQ(assign(group), expected);
}

TEST(sticky, s2_3_no_member_fails_only_if_there_is_a_task) {
  EXPECT_EQ(sticky{}.assign(owned_group{{}, {{"a", 0}}}.input()), flat_plan{});
  EXPECT_FALSE(sticky{}.assign(owned_group{{}, {{"a", 1}}}.input()));
}

TEST(sticky, refuses_what_is_no_group) {
  EXPECT_FALSE(sticky{}.assign(owned_group{{{"m", "p"}, {"m", "q"}}, {}}.input()));
  EXPECT_FALSE(sticky{}.assign(owned_group{{{"m", "p"}}, {{"a", 1}, {"a", 2}}}.input()));
  EXPECT_FALSE(sticky{}.assign(owned_group{{{"m", "p"}}, {{"a", -1}}}.input()));
  const owned_group ordered{{{"m", "p"}}, {{"a", 1}, {"b", 2}}};  // the input views it
  auto unordered = ordered.input();
  std::swap(unordered.subtopologies[0], unordered.subtopologies[1]);
  EXPECT_FALSE(sticky{}.assign(unordered));
  EXPECT_FALSE(sticky{}.assign(owned_group{{{"m", "p"}}, {{"a", 1}}, -1}.input()));
  EXPECT_FALSE(sticky{}.assign(owned_group{{{"m", "p"}}, {{"a", 2'000'000'000}}}.input()));
}

TEST(sticky, with_kafkas_ties_refuses_an_id_twice_but_not_two_ids_of_one_hash) {
  const sticky as_kafka(ties::as_kafka);
  EXPECT_FALSE(as_kafka.assign(owned_group{{{"m", "p"}, {"n", "p"}, {"m", "q"}}, {}}.input()));
  const owned_group group{{{"Aa", "BB"}, {"BB", "Aa"}, {"m", "p"}, {"n", "p"}}, {{"a", 4}}};
  const auto made = test::assigned(as_kafka, group);
  ASSERT_TRUE(made) << made.error().message;
  for (const auto& [id, tasks] : *made) EXPECT_EQ(test::count(tasks.active), 1) << id;
}

TEST(sticky, a_member_needs_only_its_ids) {
  group_input input;
  input.members.resize(1);
  input.members[0].member_id = "m";
  input.members[0].process_id = "p";
  input.subtopologies.push_back({"a", 1, true});
  EXPECT_EQ(named(sticky{}.assign(input).value(), input), (plan{{"m", {{{"a", {0}}}, {}}}}));
}

}  // namespace
}  // namespace weir::assignor
