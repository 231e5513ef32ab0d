// The metrics of spec 03, section 5, on a group worked out by hand. The golden scenarios check them at large.
#include "assignor/plan_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;

// m1 and m2 share p1; m4 of p4 has left with its tasks a_3, a_4 and b_1.
owned_group example_group() {
  owned_group group;
  group.members = {{"m1", "p1", {{"a", {0, 1}}}, {}},
                   {"m2", "p1", {{"b", {0}}}, {{"a", {2}}}},
                   {"m3", "p3", {{"a", {2}}}, {{"a", {0, 3}}}},
                   {"m5", "p5"}};
  group.subtopologies = {{"a", 5, true}, {"b", 2, false}};
  group.standby_replicas = 1;
  return group;
}

plan example_plan() {
  return {{"m1", {{{"a", {0}}}, {{"a", {2}}}}},
          {"m2", {{{"a", {1}}}, {{"a", {3}}}}},
          {"m3", {{{"a", {3, 4}}, {"b", {0}}}, {{"a", {0}}}}},
          {"m5", {{{"a", {2}}, {"b", {1}}}, {{"a", {1, 4}}}}}};
}

TEST(plan_statistics, s5_moves_and_orphans) {
  const auto measured = measure(example_plan(), example_group().input());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->active_moved, 3);                      // a_1 m1 to m2, a_2 m3 to m5, b_0 m2 to m3
  EXPECT_EQ(measured->active_moved_between_old_members, 2);  // m5 had nothing
  EXPECT_EQ(measured->active_moved_across_processes, 2);
  EXPECT_EQ(measured->stateful_active_moved_across_processes, 1);
  EXPECT_EQ(measured->orphans, 3);
  EXPECT_EQ(measured->orphans_with_replica, 1);
  EXPECT_EQ(measured->orphans_to_replica, 1);
  EXPECT_EQ(measured->cold_stateful_active, 2);  // a_2 and a_4
}

TEST(plan_statistics, s5_standbys) {
  const auto measured = measure(example_plan(), example_group().input());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->standby_placed, 5);
  EXPECT_EQ(measured->standby_kept, 2);  // a_0 on m3; a_2 on another thread of p1
  EXPECT_EQ(measured->standby_cold, 3);  // a_3 on p1, a_1 and a_4 on p5
}

TEST(plan_statistics, s5_spreads) {
  const auto measured = measure(example_plan(), example_group().input());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->active_per_member, (spread{1, 3}));
  EXPECT_EQ(measured->stateful_active_per_member, (spread{1, 2}));
  EXPECT_EQ(measured->total_per_member, (spread{2, 4}));
  EXPECT_EQ(measured->active_per_process, (spread{2, 3}));
  EXPECT_EQ(measured->active_load_per_thread, (spread{1, 3}));
  EXPECT_EQ(measured->total_load_per_thread, (spread{2, 4}));
}

TEST(plan_statistics, a_reported_offset_is_a_replica) {
  owned_group group{{{"m1", "p1"}, {"m2", "p1"}}, {{"a", 1, true}}};
  group.members[0].offsets = {{"a", {{0, 7}}}};
  const auto measured = measure({{"m1", {}}, {"m2", {{{"a", {0}}}, {}}}}, group.input());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->orphans_to_replica, 1);
  EXPECT_EQ(measured->cold_stateful_active, 0);
}

TEST(plan_statistics, every_figure_has_its_name) {
  const auto figures = plan_statistics{}.named();
  EXPECT_EQ(figures.size(), 23U);
  EXPECT_TRUE(std::all_of(figures.begin(), figures.end(), [](const auto& figure) { return figure.second == 0; }));
}

TEST(plan_statistics, an_invalid_plan_is_not_measured) {
  EXPECT_FALSE(measure(plan{}, example_group().input()));
}

TEST(plan_statistics, an_empty_group_has_empty_figures) {
  EXPECT_EQ(measure(plan{}, group_input{}), plan_statistics{});
}

}  // namespace
}  // namespace weir::assignor
