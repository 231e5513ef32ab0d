// Worked examples EX-01 to EX-12 of spec 01, section 12: joining, delays, epochs. Each reads like its table. Where
// strict mode and ours agree, the example runs in both.
#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

class joining : public ::testing::TestWithParam<bool> {
 protected:
  scenario s{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(strict, joining, ::testing::Bool());

TEST_P(joining, ex_01_first_join) {
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g2/a2 STABLE");
  EXPECT_EQ(s.written(), "19 23 17 21 20 22");
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_EQ(s.written(), "");
}

TEST_P(joining, ex_01_answer_carries_the_intervals) {
  s.join("A");
  EXPECT_EQ(s.last().answer.heartbeat_interval_ms, 5000);
  EXPECT_EQ(s.last().answer.task_offset_interval_ms, 60000);
  EXPECT_EQ(s.last().answer.acceptable_recovery_lag, 10000);
  EXPECT_EQ(s.last().answer.member_id, "A");
}

TEST(joining_strict, ex_02_delay_with_one_heartbeat_in_the_window) {
  scenario s(true);
  s.delay(3000);
  EXPECT_EQ(s.join("A"), "ep 1, {}, [5]");
  EXPECT_EQ(s.endpoints(), "0, []");
  EXPECT_EQ(s.group(), "g2/a1 ASSIGNING");
  s.pass(3000);
  EXPECT_EQ(s.group(), "g2/a1 ASSIGNING");
  s.pass(500);
  EXPECT_EQ(s.hb("A", 1), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g2/a2 STABLE");
}

TEST(joining_ours, ex_02_the_timer_computes_because_nothing_was_thrown_away_x3) {
  scenario s(false);
  s.delay(3000);
  EXPECT_EQ(s.join("A"), "ep 1, {}, [5]");
  s.pass(3000);
  EXPECT_EQ(s.group(), "g2/a2 RECONCILING");
  EXPECT_EQ(s.written(), "21 20");
  EXPECT_EQ(s.hb("A", 1), "ep 2, A{0:0-3}, []");
}

TEST_P(joining, ex_02_a_heartbeat_that_overtakes_the_wake_up_computes_itself) {
  s.delay(3000);
  s.join("A");
  s.pass_silently(3001);
  EXPECT_EQ(s.hb("A", 1), "ep 2, A{0:0-3}, []");
  s.pass(1);
  EXPECT_EQ(s.group(), "g2/a2 STABLE");
}

TEST_P(joining, ex_03_two_heartbeats_in_the_window) {
  s.delay(3000);
  EXPECT_EQ(s.join("A"), "ep 1, {}, [5]");
  EXPECT_EQ(s.group(), "g2/a1 ASSIGNING");
  EXPECT_EQ(s.hb("A", 1, {.own = ""}), "ep 1, -, [5]");
  EXPECT_EQ(s.join("B"), "ep 1, {}, [5]");
  EXPECT_EQ(s.group(), "g3/a1 ASSIGNING");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).pass(3000);
  EXPECT_EQ(s.group(), "g3/a3 RECONCILING");
  EXPECT_EQ(s.target("A"), "A{0:0,1}");
  EXPECT_EQ(s.hb("A", 1), "ep 3, A{0:0,1}, []");
  EXPECT_EQ(s.hb("B", 1), "ep 3, A{0:2,3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
}

TEST_P(joining, ex_04_group_emptied_and_joined_again) {
  s.delay(3000).join("A");
  s.pass(3500);
  s.hb("A", 1);
  EXPECT_EQ(s.leave("A"), "ep -1, -, []");
  EXPECT_EQ(s.last().answer.heartbeat_interval_ms, 0);
  EXPECT_EQ(s.last().answer.acceptable_recovery_lag, -1);
  EXPECT_EQ(s.written(), "22t 21t 19t 17 20");
  EXPECT_EQ(s.group(), "g3/a3 EMPTY");
  EXPECT_EQ(s.state().target_info.assignment_timestamp_ms, 0);
  EXPECT_EQ(s.join("B"), "ep 3, {}, [5]");
  EXPECT_EQ(s.group(), "g4/a3 ASSIGNING");
  EXPECT_EQ(s.hb("B", 5), "error 110");
  s.pass(3000);
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
}

TEST_P(joining, ex_05_scale_out) {
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0-3}, []");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}});
  EXPECT_EQ(s.join("B"), "ep 3, {}, []");
  EXPECT_EQ(s.group(), "g3/a3 RECONCILING");
  EXPECT_EQ(s.member("B"), "UNRELEASED 3/0 {}");
  EXPECT_EQ(s.hb("B", 3), "ep 3, -, []");
  EXPECT_EQ(s.member("B"), "UNRELEASED 3/3 {}");
  EXPECT_EQ(s.written(), "22");
  EXPECT_EQ(s.hb("A", 2), "ep 2, A{0:0,1}, []");
  EXPECT_EQ(s.member("A"), "UNREVOKED 2/2 A{0:0,1} pending A{0:2,3}");
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_EQ(s.written(), "");
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0-3"}), "ep 2, -, []");
  EXPECT_EQ(s.written(), "");
  EXPECT_EQ(s.hb("B", 3), "ep 3, -, []");
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0,1"}), "ep 3, -, []");
  EXPECT_EQ(s.member("A"), "STABLE 3/2 A{0:0,1}");
  EXPECT_EQ(s.hb("B", 3), "ep 3, A{0:2,3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  EXPECT_EQ(s.state().members.at("A").current.assigned.active, tasks_at("0:0,1", 2));
  EXPECT_EQ(s.state().members.at("B").current.assigned.active, tasks_at("0:2,3", 3));
}

TEST_P(joining, ex_06_three_members_partial_grants) {
  s.topic("a", 6).topic("b", 3);
  auto app = reading({"a"});
  app.subtopologies[0].id = "a";
  app.subtopologies.push_back(reading({"b"}).subtopologies[0]);
  app.subtopologies[1].id = "b";
  s.app(app).split({{"A", "a:0-2;b:0,1"}, {"B", "a:3-5;b:2"}});
  s.split({{"A", "a:0-5;b:0-2"}}).join("A");
  s.split({{"A", "a:0-2;b:0,1"}, {"B", "a:3-5;b:2"}}).join("B");
  s.hb("A", 2);
  s.hb("A", 2, {.own = "a:0-2;b:0,1"});
  s.hb("B", 3);
  ASSERT_EQ(s.group(), "g3/a3 STABLE");
  const int e = 3;  // the table's epoch 10

  s.split({{"A", "a:0,1;b:0"}, {"B", "a:2,3;b:2"}, {"C", "a:4,5;b:1"}});
  EXPECT_EQ(s.join("C"), "ep 4, {}, []");
  EXPECT_EQ(s.hb("A", e), "ep 3, A{a:0,1;b:0}, []");
  EXPECT_EQ(s.hb("B", e), "ep 3, A{a:3;b:2}, []");
  EXPECT_EQ(s.hb("C", 4), "ep 4, -, []");
  EXPECT_EQ(s.hb("A", e, {.own = "a:0,1;b:0"}), "ep 4, -, []");
  EXPECT_EQ(s.hb("B", e), "ep 3, -, []");
  EXPECT_EQ(s.hb("C", 4), "ep 4, A{b:1}, []");
  EXPECT_EQ(s.member("C"), "UNRELEASED 4/4 A{b:1}");
  EXPECT_EQ(s.hb("C", 4), "ep 4, -, []");
  EXPECT_EQ(s.written(), "");
  EXPECT_EQ(s.hb("B", e, {.own = "a:3;b:2"}), "ep 4, A{a:2,3;b:2}, []");
  const auto& epochs = s.state().members.at("B").current.assigned.active;
  EXPECT_EQ(epochs.at("a").at(2), 4);
  EXPECT_EQ(epochs.at("a").at(3), 3);
  EXPECT_EQ(epochs.at("b").at(2), 3);
  EXPECT_EQ(s.hb("C", 4, {.own = "b:1"}), "ep 4, A{a:4,5;b:1}, []");
  EXPECT_EQ(s.group(), "g4/a4 STABLE");
}

/// A member at epoch 4, previous 3, assigned 0, 1, 2.
void settle_at_epoch_4(scenario& s) {
  s.join("A", {.rack = "r1"});
  s.split({{"A", "0:0-2"}, {"B", "0:3"}}).join("B");
  s.hb("A", 2);
  s.hb("A", 2, {.own = "0:0-2"});
  s.hb("A", 3, {.rack = "r2"});
  ASSERT_EQ(s.member("A"), "STABLE 4/3 A{0:0-2}");
}

TEST_P(joining, ex_07_epoch_fencing) {
  settle_at_epoch_4(s);
  EXPECT_EQ(s.hb("A", 200), "error 110");
  EXPECT_EQ(s.hb("A", 1), "error 110");
  EXPECT_EQ(s.hb("A", 3), "error 110");
  EXPECT_EQ(s.hb("A", 3, {.own = "0:0,3"}), "error 110");
}

TEST(joining_strict, ex_07_previous_epoch_is_accepted_without_lists) {
  scenario s(true);
  settle_at_epoch_4(s);
  EXPECT_EQ(s.hb("A", 3, {.own = "0:0,1"}), "ep 4, -, []");
  EXPECT_EQ(s.hb("A", 3, {.own = ""}), "ep 4, -, []");
}

TEST(joining_ours, ex_07_previous_epoch_gets_the_lists_again_x2) {
  scenario s(false);
  settle_at_epoch_4(s);
  EXPECT_EQ(s.hb("A", 3, {.own = "0:0,1"}), "ep 4, A{0:0-2}, []");
  EXPECT_EQ(s.hb("A", 3, {.own = ""}), "ep 4, A{0:0-2}, []");
  EXPECT_EQ(s.hb("A", 4, {.own = "0:0,1"}), "ep 4, A{0:0-2}, []");
  EXPECT_EQ(s.hb("A", 4, {.own = "0:0-2"}), "ep 4, -, []");
  EXPECT_EQ(s.written(), "");
}

void lose_the_answer_with_tasks(scenario& s) {
  s.delay(3000).join("A");
  s.hb("A", 1, {.own = ""});
  s.join("B");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).pass(3000);
  ASSERT_EQ(s.hb("A", 1), "ep 3, A{0:0,1}, []");
}

TEST(joining_strict, ex_08_lost_answer_that_carried_tasks) {
  scenario s(true);
  lose_the_answer_with_tasks(s);
  EXPECT_EQ(s.hb("A", 1), "error 110");
  EXPECT_EQ(s.hb("A", 1, {.own = ""}), "ep 3, -, []");
  EXPECT_EQ(s.join("A"), "ep 3, A{0:0,1}, []");
}

TEST(joining_ours, ex_08_lost_answer_is_repeated_x2) {
  scenario s(false);
  lose_the_answer_with_tasks(s);
  EXPECT_EQ(s.hb("A", 1), "error 110");
  EXPECT_EQ(s.hb("A", 1, {.own = ""}), "ep 3, A{0:0,1}, []");
  EXPECT_EQ(s.join("A"), "ep 3, A{0:0,1}, []");
}

TEST_P(joining, ex_09_rejoin_without_change) {
  s.join("A", {.endpoint = "ha:1"});
  EXPECT_EQ(s.join("A", {.endpoint = "ha:1"}), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.written(), "");
  const auto before = s.state().soft.endpoint_epoch;
  EXPECT_EQ(s.join("A"), GetParam() ? "ep 3, A{0:0-3}, []" : "ep 2, A{0:0-3}, []");  // rc28
  EXPECT_EQ(s.state().soft.endpoint_epoch, before + 1);
}

TEST_P(joining, ex_10_rejoin_while_revocation_is_pending) {
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2);
  EXPECT_EQ(s.join("A"), "ep 3, A{0:0,1}, []");
  EXPECT_EQ(s.hb("B", 3), "ep 3, A{0:2,3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
}

TEST_P(joining, ex_11_metadata_change_in_an_ordinary_heartbeat) {
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2, {.own = "0:0,1"});
  s.hb("B", 3);
  ASSERT_EQ(s.group(), "g3/a3 STABLE");
  EXPECT_EQ(s.hb("A", 3, {.rack = "r1"}), "ep 4, -, []");
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
  EXPECT_EQ(s.hb("A", 4, {.rack = "r1"}), "ep 4, -, []");
  EXPECT_EQ(s.written(), "");
}

TEST(joining_strict, ex_11_a_rebalance_timeout_and_a_client_id_count_too) {
  scenario s(true);
  s.join("A");
  EXPECT_EQ(s.hb("A", 2, {.rebalance_timeout_ms = 5555}), "ep 3, -, []");
  EXPECT_EQ(s.hb("A", 3, {.client_id = "another"}), "ep 4, -, []");
  EXPECT_EQ(s.hb("A", 4, {.endpoint = "ha:1", .client_id = "another"}), "ep 5, -, []");
}

TEST(joining_ours, rc28_a_new_endpoint_or_rebalance_timeout_is_no_reason_to_rebalance) {
  scenario s(false);
  s.join("A", {.rack = "r1"});
  EXPECT_EQ(s.hb("A", 2, {.endpoint = "ha:1"}), "ep 2, -, []");
  EXPECT_EQ(s.written(), "19");
  EXPECT_EQ(s.hb("A", 2, {.rebalance_timeout_ms = 5555}), "ep 2, -, []");
  EXPECT_EQ(s.state().members.at("A").metadata.rebalance_timeout_ms, 5555);
  EXPECT_EQ(s.hb("A", 2, {.rack = "r2", .rebalance_timeout_ms = 7000}), "ep 3, -, []");
}

TEST_P(joining, ex_12_assignment_interval) {
  s.interval(1000);
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0-3}, []");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}});
  EXPECT_EQ(s.join("B"), "ep 2, {}, [5]");
  EXPECT_EQ(s.group(), "g3/a2 ASSIGNING");
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, [5]");
  s.pass(1100);
  EXPECT_EQ(s.hb("A", 2), "ep 2, A{0:0,1}, []");
  EXPECT_EQ(s.group(), "g3/a3 RECONCILING");
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0,1"}), "ep 3, -, []");
  EXPECT_EQ(s.hb("B", 2), "ep 3, A{0:2,3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
}

}  // namespace
}  // namespace weir::group
