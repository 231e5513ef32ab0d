// What moved between two plans.
#include "assignor/plan_diff.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

using enum task_role;
using moves = std::vector<task_move>;

TEST(plan_diff, equal_plans_have_no_moves) {
  const plan same{{"m1", {{{"a", {0, 1}}}, {{"b", {2}}}}}};
  EXPECT_EQ(diff(same, same), moves{});
}

TEST(plan_diff, an_active_task_moves_from_one_member_to_another) {
  const plan before{{"m1", {{{"a", {0, 1}}}, {}}}, {"m2", {}}};
  const plan after{{"m1", {{{"a", {0}}}, {}}}, {"m2", {{{"a", {1}}}, {}}}};
  EXPECT_EQ(diff(before, after), (moves{{"a", 1, active, "m1", "m2"}}));
}

TEST(plan_diff, new_and_lost_copies_have_nobody_on_one_side) {
  const plan before{{"m1", {{{"a", {0}}}, {}}}};
  const plan after{{"m1", {{{"b", {3}}}, {}}}};
  EXPECT_EQ(diff(before, after), (moves{{"a", 0, active, "m1", ""}, {"b", 3, active, "", "m1"}}));
}

TEST(plan_diff, a_change_of_role_is_two_moves) {
  const plan before{{"m1", {{{"a", {0}}}, {}}}, {"m2", {{}, {{"a", {0}}}}}};
  const plan after{{"m1", {{}, {{"a", {0}}}}}, {"m2", {{{"a", {0}}}, {}}}};
  EXPECT_EQ(diff(before, after), (moves{{"a", 0, active, "m1", "m2"}, {"a", 0, standby, "m2", "m1"}}));
}

TEST(plan_diff, standbys_that_stay_are_not_moves_and_the_others_pair_in_member_order) {
  const plan before{{"m1", {{}, {{"a", {0}}}}}, {"m2", {{}, {{"a", {0}}}}}, {"m3", {{}, {{"a", {0}}}}}};
  const plan after{{"m2", {{}, {{"a", {0}}}}}, {"m4", {{}, {{"a", {0}}}}}};
  EXPECT_EQ(diff(before, after), (moves{{"a", 0, standby, "m1", "m4"}, {"a", 0, standby, "m3", ""}}));
}

TEST(plan_diff, moves_are_ordered_by_task_number_not_by_text) {
  const plan before;
  const plan after{{"m1", {{{"a", {10, 9}}}, {}}}};
  EXPECT_EQ(diff(before, after), (moves{{"a", 9, active, "", "m1"}, {"a", 10, active, "", "m1"}}));
}

TEST(current_plan, is_what_the_members_hold) {
  const test::owned_group group{{{"m1", "p1", {{"a", {0}}, {"b", {}}}, {{"c", {1}}}}, {"m2", "p1"}}, {}};
  const plan expected{{"m1", {{{"a", {0}}}, {{"c", {1}}}}}, {"m2", {}}};
  EXPECT_EQ(current_plan(group.input()), expected);
}

// The moves of one role, as diff() finds them.
moves found_by_diff(const plan& before, const plan& after, task_role role) {
  auto found = diff(before, after);
  std::erase_if(found, [&](const task_move& move) { return move.role != role; });
  return found;
}

moves owned(const std::vector<task_move_view>& views, task_role role) {
  moves found;
  for (const auto& view : views) {
    found.push_back({std::string(view.subtopology_id), view.partition, role, std::string(view.from_member),
                     std::string(view.to_member)});
  }
  return found;
}

TEST(moves_to, are_those_of_diff) {
  // m2 and m1 in this order; a_9 and all of "aa" are gone, b is new; a_1 is claimed twice.
  const test::owned_group group{{{"m2", "p2", {{"a", {1, 2, 9}}, {"aa", {0}}}, {{"a", {0}}, {"aa", {4}}}},
                                 {"m1", "p1", {{"a", {0, 1}}}, {{"a", {2, 3}}}},
                                 {"m3", "p3", {{"a", {3}}}, {{"a", {0, 1}}}}},
                                {{"b", 2, false}, {"a", 4, true}}};
  const auto input = group.input();
  const plan after{{"m1", {{{"a", {0, 3}}, {"b", {1}}}, {{"a", {1}}}}},
                   {"m2", {{{"a", {1}}, {"b", {0}}}, {{"a", {2, 3}}}}},
                   {"m3", {{{"a", {2}}}, {{"a", {0}}}}}};
  const auto flat = numbered(after, input).value();
  for (const auto role : {active, standby}) {
    EXPECT_EQ(owned(moves_to(flat, input, role), role), found_by_diff(current_plan(input), after, role));
  }
  EXPECT_EQ(moves_to(flat, input, active).size(), 7U);
}

}  // namespace
}  // namespace weir::assignor
