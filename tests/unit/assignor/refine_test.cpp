// The way to a target, by the table of spec 03, 8.4. A has state, B is to get it.
#include "assignor/refine.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;
using waiting = std::vector<waiting_task>;

interim refined(const plan& target, const owned_group& group) {
  auto made = test::refine_to(target, group.input());
  EXPECT_TRUE(made) << made.error().message;
  return test::complete(made.value_or(interim{}), target, group);
}

// A runs four tasks, two of which are B's by the target.
owned_group scale_out() {
  return {{{"A", "a", {{"0", {0, 1, 2, 3}}}}, {"B", "b"}}, {{"0", 4}}};
}
const plan two_each{{"A", {{{"0", {0, 1}}}, {}}}, {"B", {{{"0", {2, 3}}}, {}}}};

void report(test::owned_member& member, std::int32_t partition, std::int64_t offset, std::int64_t end) {
  member.offsets["0"][partition] = offset;
  member.end_offsets["0"][partition] = end;
}

TEST(refine, s8_4_a_live_owner_keeps_its_tasks_while_the_target_warms_up) {
  const auto made = refined(two_each, scale_out());
  EXPECT_EQ(made.members.at("A"), (interim_tasks{{{"0", {0, 1, 2, 3}}}, {}, {}}));
  EXPECT_EQ(made.members.at("B"), (interim_tasks{{}, {}, {{"0", {2, 3}}}}));
  EXPECT_EQ(made.waiting, (waiting{{"0", 2, "B"}, {"0", 3, "B"}}));
}

TEST(refine, s8_4_a_task_moves_once_its_target_is_within_the_acceptable_lag) {
  auto group = scale_out();
  group.hold(refined(two_each, group));
  report(group.member("B"), 2, 40'000, 50'000);  // 10,000 behind: within
  report(group.member("B"), 3, 39'999, 50'000);
  const auto made = refined(two_each, group);
  EXPECT_EQ(made.members.at("A"), (interim_tasks{{{"0", {0, 1, 3}}}, {}, {}}));
  EXPECT_EQ(made.members.at("B"), (interim_tasks{{{"0", {2}}}, {}, {{"0", {3}}}}));
  EXPECT_EQ(made.waiting, (waiting{{"0", 3, "B"}}));
}

TEST(refine, s8_2_unknown_offsets_never_count_as_caught_up) {
  constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
  auto group = scale_out();
  const auto first = refined(two_each, group);
  group.hold(first);
  group.member("B").offsets = {{"0", {{2, 50'000}}}};
  EXPECT_EQ(refined(two_each, group), first) << "no end offset";
  report(group.member("B"), 2, 50'000, unknown);
  EXPECT_EQ(refined(two_each, group), first) << "end offset not known yet";
  report(group.member("B"), 2, unknown, 50'000);
  EXPECT_EQ(refined(two_each, group), first) << "offset not known yet";
  report(group.member("B"), 2, 60'001, 50'000);
  EXPECT_EQ(refined(two_each, group), first) << "far beyond the end";
  report(group.member("B"), 2, -2, 50'000);
  EXPECT_EQ(refined(two_each, group), first) << "no offset at all";
  report(group.member("B"), 2, 50'000, 50'000);
  EXPECT_NE(refined(two_each, group), first);
}

TEST(refine, s8_2_a_copy_that_is_a_little_beyond_the_end_has_caught_up) {
  for (const std::int64_t acceptable : {10'000, 0}) {
    auto group = scale_out();
    group.acceptable_recovery_lag = acceptable;
    report(group.member("B"), 2, 50'001, 50'000);  // what clients report that have restored everything
    EXPECT_EQ(refined(two_each, group).waiting, (waiting{{"0", 3, "B"}}));
  }
}

TEST(refine, s8_4_no_more_warm_ups_than_allowed_in_the_whole_group) {
  auto group = scale_out();
  group.warmup_replicas = 1;
  const auto made = refined(two_each, group);
  EXPECT_EQ(made.members.at("B").warmup, (task_set{{"0", {2}}}));
  EXPECT_EQ(made.waiting.size(), 2u);
  EXPECT_EQ(made.members.at("A").active, (task_set{{"0", {0, 1, 2, 3}}}));
}

TEST(refine, s8_4_warm_ups_in_progress_come_first_then_the_least_behind) {
  auto group = scale_out();
  group.warmup_replicas = 1;
  group.member("B").warmup = {{"0", {3}}};
  EXPECT_EQ(refined(two_each, group).members.at("B").warmup, (task_set{{"0", {3}}}));
  group.member("B").warmup = {{"0", {2, 3}}};
  report(group.member("B"), 2, 10, 50'000);
  report(group.member("B"), 3, 20, 50'000);
  EXPECT_EQ(refined(two_each, group).members.at("B").warmup, (task_set{{"0", {3}}}));
}

TEST(refine, s8_4_without_warm_ups_or_when_any_lag_will_do_the_result_is_the_target) {
  auto group = scale_out();
  const interim target{{{"A", {{{"0", {0, 1}}}, {}, {}}}, {"B", {{{"0", {2, 3}}}, {}, {}}}}, {}};
  group.warmup_replicas = 0;
  EXPECT_EQ(refined(two_each, group), target);
  group.warmup_replicas = 2;
  group.acceptable_recovery_lag = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refined(two_each, group), target);
}

TEST(refine, s8_4_a_member_that_never_reports_offsets_gets_its_tasks_at_once) {
  auto group = scale_out();
  group.member("B").reports_offsets = false;
  const auto made = refined(two_each, group);
  EXPECT_EQ(made.members.at("B").active, (task_set{{"0", {2, 3}}}));
  EXPECT_TRUE(made.waiting.empty());
}

TEST(refine, s8_4_stateless_tasks_and_those_of_the_same_process_move_at_once) {
  auto group = scale_out();
  group.subtopologies[0].stateful = false;
  EXPECT_EQ(refined(two_each, group).members.at("B").active, (task_set{{"0", {2, 3}}}));
  group = scale_out();
  group.member("B").process = "a";
  EXPECT_EQ(refined(two_each, group).members.at("B").active, (task_set{{"0", {2, 3}}}));
}

TEST(refine, s8_4_a_lagging_standby_of_the_target_goes_on_and_uses_no_warm_up) {
  auto group = scale_out();
  group.warmup_replicas = 1;
  group.member("B").standby = {{"0", {2}}};
  const auto made = refined(two_each, group);
  EXPECT_EQ(made.members.at("B"), (interim_tasks{{}, {{"0", {2}}}, {{"0", {3}}}}));
}

TEST(refine, s8_4_a_standby_of_a_member_that_never_reports_is_not_waited_for_its_process_warms_up) {
  auto group = scale_out();
  group.members.push_back({"C", "b"});
  group.member("C").reports_offsets = false;
  group.member("C").standby = {{"0", {2}}};
  auto target = two_each;
  target["C"] = {};
  const auto made = refined(target, group);
  EXPECT_EQ(made.members.at("B").warmup, (task_set{{"0", {2, 3}}})) << "nobody would ever see the standby catch up";
}

TEST(refine, s8_4_the_standby_of_whoever_runs_the_task_meanwhile_waits) {
  auto group = scale_out();
  const plan swapped{{"A", {{{"0", {0, 1, 3}}}, {{"0", {2}}}}}, {"B", {{{"0", {2}}}, {{"0", {0, 1, 3}}}}}};
  const auto made = refined(swapped, group);
  EXPECT_EQ(made.members.at("A"), (interim_tasks{{{"0", {0, 1, 2, 3}}}, {}, {}}));
  EXPECT_EQ(made.members.at("B"), (interim_tasks{{}, {{"0", {0, 1, 3}}}, {{"0", {2}}}}));
}

// C has left; its task 0 is to go to B, which has nothing of it.
owned_group orphaned() {
  return {{{"A", "a"}, {"B", "b"}, {"D", "d"}}, {{"0", 2}}};
}
const plan to_b{{"A", {}}, {"B", {{{"0", {0}}}, {}}}, {"D", {{{"0", {1}}}, {}}}};

TEST(refine, s8_4_an_orphan_starts_at_the_copy_that_is_least_behind) {
  auto group = orphaned();
  report(group.member("A"), 0, 45'000, 50'000);
  report(group.member("D"), 0, 44'000, 50'000);
  const auto made = refined(to_b, group);
  EXPECT_EQ(made.members.at("A").active, (task_set{{"0", {0}}}));
  EXPECT_EQ(made.members.at("B").warmup, (task_set{{"0", {0}}}));
  report(group.member("D"), 0, 46'000, 50'000);
  EXPECT_EQ(refined(to_b, group).members.at("D").active, (task_set{{"0", {0, 1}}}));
}

TEST(refine, s8_4_of_equal_copies_an_orphan_starts_where_least_runs) {
  auto group = orphaned();
  group.member("A").active = {{"0", {1}}};
  report(group.member("A"), 0, 50'000, 50'000);
  report(group.member("D"), 0, 50'000, 50'000);
  const plan a_keeps{{"A", {{{"0", {1}}}, {}}}, {"B", {{{"0", {0}}}, {}}}, {"D", {}}};
  EXPECT_EQ(refined(a_keeps, group).members.at("D").active, (task_set{{"0", {0}}}));
}

TEST(refine, s8_4_an_orphan_starts_at_a_standby_before_anything_is_known_of_it) {
  auto group = orphaned();
  group.member("A").standby = {{"0", {0}}};
  EXPECT_EQ(refined(to_b, group).members.at("A").active, (task_set{{"0", {0}}}));
}

TEST(refine, s8_4_an_orphan_without_a_copy_and_one_whose_target_has_begun_start_at_the_target) {
  auto group = orphaned();
  EXPECT_EQ(refined(to_b, group).members.at("B").active, (task_set{{"0", {0}}}));
  group.member("A").standby = {{"0", {0}}};
  group.member("B").standby = {{"0", {0}}};
  EXPECT_EQ(refined(to_b, group).members.at("B").active, (task_set{{"0", {0}}}));
}

TEST(refine, s8_5_what_the_owner_was_told_to_give_up_goes_on_moving_though_the_reports_get_worse) {
  auto group = scale_out();
  group.member("A").active = {{"0", {0, 1, 3}}};
  group.member("A").revoking = {{"0", {2}}};
  group.member("B").warmup = {{"0", {2, 3}}};
  report(group.member("B"), 2, 30'000, 50'000);
  const auto made = refined(two_each, group);
  EXPECT_EQ(made.members.at("B"), (interim_tasks{{{"0", {2}}}, {}, {{"0", {3}}}}));
}

// The standby of task 0 is to move from B to C.
owned_group moving_standby() {
  owned_group group{{{"A", "a", {{"0", {0}}}}, {"B", "b", {}, {{"0", {0}}}}, {"C", "c"}}, {{"0", 1}}};
  group.standby_replicas = 1;
  return group;
}
const plan standby_at_c{{"A", {{{"0", {0}}}, {}}}, {"B", {}}, {"C", {{}, {{"0", {0}}}}}};

TEST(refine, s8_8_2_standbys_move_at_once) {
  const auto made = refined(standby_at_c, moving_standby());
  EXPECT_EQ(made.members.at("C"), (interim_tasks{{}, {{"0", {0}}}, {}}));
  EXPECT_EQ(made.members.at("B"), interim_tasks{});
}

TEST(refine, s8_8_2_unless_the_old_standby_is_to_stay_until_the_new_one_has_caught_up) {
  auto group = moving_standby();
  group.keep_old_standbys = true;
  const auto made = refined(standby_at_c, group);
  EXPECT_EQ(made.members.at("B").standby, (task_set{{"0", {0}}}));
  EXPECT_EQ(made.members.at("C").warmup, (task_set{{"0", {0}}}));
  EXPECT_EQ(made.waiting, (waiting{{"0", 0, "C"}}));
  group.hold(made);
  report(group.member("C"), 0, 50'000, 50'000);
  const auto last = refined(standby_at_c, group);
  EXPECT_EQ(last.members.at("C"), (interim_tasks{{}, {{"0", {0}}}, {}}));
  EXPECT_EQ(last.members.at("B"), interim_tasks{});
  EXPECT_TRUE(last.waiting.empty());
}

TEST(refine, a_step_names_only_those_who_are_to_hold_something_else_than_the_target_says) {
  auto group = scale_out();
  group.members.push_back({"C", "c", {{"0", {4}}}});
  group.subtopologies[0].tasks = 5;
  const plan target{{"A", {{{"0", {0, 1}}}, {}}}, {"B", {{{"0", {2, 3}}}, {}}}, {"C", {{{"0", {4}}}, {}}}};
  auto made = test::refine_to(target, group.input()).value();
  EXPECT_TRUE(made.members.contains("A") && made.members.contains("B"));
  EXPECT_FALSE(made.members.contains("C"));
  report(group.member("B"), 2, 50'000, 50'000);
  report(group.member("B"), 3, 50'000, 50'000);
  made = test::refine_to(target, group.input()).value();
  EXPECT_TRUE(made.members.empty());
}

TEST(refine, s8_5_a_warm_up_that_rests_makes_way_and_goes_on_if_nobody_needs_its_place) {
  auto group = scale_out();
  group.warmup_replicas = 1;
  group.member("B").warmup = {{"0", {2}}};
  auto input = group.input();
  input.stuck = {{"0", 2, "b"}};
  const auto warmup = [&] { return test::refine_to(two_each, input).value().members.at("B").warmup; };
  EXPECT_EQ(warmup(), (task_set{{"0", {3}}}));
  input.stuck = {{"0", 2, "b"}, {"0", 3, "b"}};
  EXPECT_EQ(warmup(), (task_set{{"0", {2}}})) << "both rest";
  input.stuck = {{"0", 2, "a"}, {"0", 9, "b"}, {"1", 2, "b"}};
  EXPECT_EQ(warmup(), (task_set{{"0", {2}}})) << "nothing of this group";
  input.warmup_replicas = 2;
  input.stuck = {{"0", 2, "b"}};
  EXPECT_EQ(warmup(), (task_set{{"0", {2, 3}}}));
}

TEST(refine, refuses_what_is_no_group) {
  auto group = scale_out();
  group.warmup_replicas = -1;
  EXPECT_FALSE(test::refine_to(two_each, group.input()));
  group = scale_out();
  group.member("B").id = "A";
  EXPECT_FALSE(test::refine_to(two_each, group.input()));
}

}  // namespace
}  // namespace weir::assignor
