// Every violation an assignor can commit is noticed (spec 03, 9.1 T1 to T5).
#include "assignor/validate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;

// Two processes, the first with two members; "a" stateful with 2 tasks, "b" stateless with 1; 1 standby.
owned_group small_group() {
  return {{{"m1", "p1"}, {"m2", "p1"}, {"m3", "p2"}}, {{"a", 2, true}, {"b", 1, false}}, 1};
}

plan good_plan() {
  return {{"m1", {{{"a", {0}}}, {}}}, {"m2", {{{"b", {0}}}, {{"a", {1}}}}}, {"m3", {{{"a", {1}}}, {{"a", {0}}}}}};
}

std::string violation(const plan& checked) {
  const auto group = small_group();
  const auto input = group.input();
  const auto flat = numbered(checked, input);
  if (!flat) return flat.error().message;
  const auto valid = validate(*flat, input);
  return valid ? "none" : valid.error().message;
}

// The same of the good plan with numbers after a change: a_0, a_1 and b_0 are 0, 1 and 2.
template <class Change>
std::string violation_after(Change change) {
  const auto group = small_group();
  const auto input = group.input();
  auto flat = numbered(good_plan(), input).value();
  change(flat);
  const auto valid = validate(flat, input);
  return valid ? "none" : valid.error().message;
}

TEST(validate, accepts_a_good_plan) { EXPECT_EQ(violation(good_plan()), "none"); }

TEST(validate, t1_a_task_without_an_active_member) {
  auto bad = good_plan();
  bad["m2"].active.clear();
  EXPECT_EQ(violation(bad), "task b_0 is active on 0 members and has 0 standbys instead of 0");
}

TEST(validate, t1_a_task_active_on_two_members) {
  auto bad = good_plan();
  bad["m3"].active["b"] = {0};
  EXPECT_EQ(violation(bad), "task b_0 is active on 2 members and has 0 standbys instead of 0");
}

TEST(validate, t2_a_subtopology_or_partition_that_does_not_exist) {
  auto bad = good_plan();
  bad["m1"].active["c"] = {0};
  EXPECT_EQ(violation(bad), "the plan names subtopology c, which does not exist");
  bad = good_plan();
  bad["m1"].active["a"] = {0, 2};
  EXPECT_EQ(violation(bad), "the plan names task a_2, which does not exist");
  bad = good_plan();
  bad["m1"].active["a"] = {-1, 0};
  EXPECT_EQ(violation(bad), "the plan names task a_-1, which does not exist");
}

TEST(validate, t3_a_stranger_or_a_missing_member) {
  auto bad = good_plan();
  bad["m4"];
  EXPECT_EQ(violation(bad), "the plan names m4, which is no member");
  bad = good_plan();
  bad.erase("m2");
  EXPECT_EQ(violation(bad), "the plan leaves out member m2");
}

TEST(validate, t4_a_standby_of_a_stateless_task) {
  auto bad = good_plan();
  bad["m3"].standby["b"] = {0};
  EXPECT_EQ(violation(bad), "the plan has a standby of the stateless subtopology b");
}

TEST(validate, t4_a_process_that_holds_a_task_twice) {
  auto bad = good_plan();
  bad["m3"].standby.clear();
  bad["m2"].standby["a"] = {0, 1};
  EXPECT_EQ(violation(bad), "task a_0 is held twice by one process");
}

TEST(validate, t5_too_few_standbys) {
  auto bad = good_plan();
  bad["m3"].standby.clear();
  EXPECT_EQ(violation(bad), "task a_0 is active on 1 members and has 0 standbys instead of 1");
}

TEST(validate, t2_a_number_that_no_task_has) {
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.active.tasks.back() = 3; }),
            "the plan names task number 3, which does not exist");
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.standby.tasks.front() = -1; }),
            "the plan names task number -1, which does not exist");
}

TEST(validate, t3_lists_for_another_number_of_members) {
  const auto strange = "the plan is for 4 members, the group has 3";
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.active.end_list(); }), strange);
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.standby.end_list(); }), strange);
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.active.first.clear(); }),
            "the plan is for 0 members, the group has 3");
}

TEST(validate, lists_that_do_not_fit_together) {
  const auto unfit = "the lists of the plan do not fit together";
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.active.tasks.push_back(0); }), unfit);
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.active.first[1] = 9; }), unfit);
  EXPECT_EQ(violation_after([](flat_plan& bad) { bad.active.first[0] = 1; }), unfit);
}

TEST(validate, a_list_that_does_not_ascend) {
  const auto all_at_m1 = [](std::int32_t first, std::int32_t second) {
    return violation_after([&](flat_plan& bad) { bad.active = {{0, 3, 3, 3}, {first, second, 2}}; });
  };
  EXPECT_EQ(all_at_m1(1, 0), "the plan lists a_0 twice or out of order");
  EXPECT_EQ(all_at_m1(1, 1), "the plan lists a_1 twice or out of order");
}

// Returns what it is given.
class scripted final : public assignor {
 public:
  explicit scripted(flat_plan answer) : answer_(std::move(answer)) {}
  explicit scripted(tl::unexpected<error> answer) : answer_(std::move(answer)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }
  [[nodiscard]] result<flat_plan> assign(const group_input&) const override { return answer_; }

 private:
  result<flat_plan> answer_;
};

TEST(checked_assign, returns_what_is_valid) {
  const owned_group group{{{"m1", "p1"}, {"m2", "p2"}}, {{"a", 1, false}, {"b", 0, true}}};
  const flat_plan made{{{0, 1, 1}, {0}}, {{0, 0, 0}, {}}};
  EXPECT_EQ(checked_assign(scripted(made), group.input()), made);
}

TEST(checked_assign, s1_1_a_violation_is_a_failure_that_names_the_assignor) {
  const flat_plan nothing{{{0, 0}, {}}, {{0, 0}, {}}};
  const auto made = checked_assign(scripted(nothing), owned_group{{{"m1", "p1"}}, {{"a", 1}}}.input());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "assignor scripted: task a_0 is active on 0 members and has 0 standbys instead of 0");
}

TEST(checked_assign, passes_a_failure_on) {
  const auto made = checked_assign(scripted(fail("no")), owned_group{}.input());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "no");
}

}  // namespace
}  // namespace weir::assignor
