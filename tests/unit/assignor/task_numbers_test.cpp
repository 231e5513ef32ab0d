// Tasks between names and numbers.
#include "assignor/task_numbers.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "assignor/named_plan.hpp"

namespace weir::assignor {
namespace {

using numbers_list = std::vector<std::int32_t>;

const std::vector<subtopology_input> two{{"a", 3, true}, {"b", 2, false}};
const auto ignored = [](std::string_view, std::int32_t) {};

TEST(task_numbers, count_through_the_subtopologies) {
  EXPECT_EQ(first_tasks(two), (numbers_list{0, 3, 5}));
  EXPECT_EQ(first_tasks({}), (numbers_list{0}));
  const task_numbers numbers(two);
  EXPECT_EQ(numbers.of("b").first, 3);
  EXPECT_EQ(numbers.of("b").count, 2);
  EXPECT_EQ(numbers.of("c").count, 0);
}

TEST(task_numbers, of_a_group_that_cannot_be_do_not_overflow) {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  const std::vector<subtopology_input> huge{{"a", -1}, {"b", most}, {"c", 1}, {"d", 0}};
  EXPECT_EQ(first_tasks(huge), (numbers_list{0, 0, most, most, most}));
}

TEST(task_numbers, appends_what_exists_and_tells_the_rest) {
  const task_numbers numbers(two);
  numbers_list tasks{7};
  std::vector<std::pair<std::string, std::int32_t>> gone;
  const auto piece = numbers.append(task_set{{"a", {-1, 0, 2, 3}}, {"aa", {1}}, {"b", {1}}}, tasks,
                                    [&](auto id, auto partition) { gone.emplace_back(id, partition); });
  EXPECT_EQ(tasks, (numbers_list{7, 0, 2, 4}));
  EXPECT_EQ(std::pair(piece.begin, piece.end), std::pair(1U, 4U));
  EXPECT_EQ(gone, (std::vector<std::pair<std::string, std::int32_t>>{{"a", -1}, {"a", 3}, {"aa", 1}}));
}

TEST(task_numbers, appends_sums_of_what_exists) {
  const std::map<std::string, std::map<std::int32_t, std::int64_t>> sums{{"a", {{1, 10}, {3, 20}}}, {"b", {{0, 30}}}};
  std::vector<reported_offset> offsets;
  task_numbers(two).append_sums(sums, offsets);
  ASSERT_EQ(offsets.size(), 2U);
  EXPECT_EQ(std::pair(offsets[0].task, offsets[0].sum), std::pair(1, std::int64_t{10}));
  EXPECT_EQ(std::pair(offsets[1].task, offsets[1].sum), std::pair(3, std::int64_t{30}));
}

TEST(task_numbers, lists_are_the_same_only_with_the_same_tasks_and_no_empty_entry) {
  const task_numbers numbers(two);
  const numbers_list tasks{0, 2, 4};
  EXPECT_TRUE(numbers.are_same({{"a", {0, 2}}, {"b", {1}}}, tasks));
  EXPECT_FALSE(numbers.are_same({{"a", {0, 2}}}, tasks)) << "one less";
  EXPECT_FALSE(numbers.are_same({{"a", {0, 1, 2}}, {"b", {1}}}, tasks)) << "one more";
  EXPECT_FALSE(numbers.are_same({{"a", {0, 2}}, {"b", {1}}, {"c", {0}}}, tasks)) << "one that is gone";
  EXPECT_FALSE(numbers.are_same({{"a", {0, 2}}, {"aa", {}}, {"b", {1}}}, tasks));
  EXPECT_TRUE(numbers.are_same({}, {}));
}

TEST(task_numbers, names_come_back) {
  const task_set names{{"a", {0, 2}}, {"b", {0, 1}}};
  numbers_list tasks;
  task_numbers(two).append(names, tasks, ignored);
  EXPECT_EQ(named_tasks(two, first_tasks(two), tasks), names);
}

TEST(named_plan, numbers_follow_the_order_of_the_members_in_the_input) {
  group_input input;
  for (const auto* id : {"m2", "m1"}) input.members.emplace_back().member_id = id;
  input.subtopologies = two;
  const plan names{{"m1", {{{"a", {1}}}, {{"a", {0}}}}}, {"m2", {{{"a", {0, 2}}, {"b", {1}}}, {}}}};
  const flat_plan flat{{{0, 3, 4}, {0, 2, 4, 1}}, {{0, 0, 1}, {0}}};
  EXPECT_EQ(numbered(names, input), flat);
  EXPECT_EQ(named(flat, input), names);
}

}  // namespace
}  // namespace weir::assignor
