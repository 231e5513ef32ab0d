// Worked examples EX-30 to EX-47 of spec 01, section 12: settings, time-outs, standbys, unknown ids, offsets,
// fail-over.
#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

class running : public ::testing::TestWithParam<bool> {
 protected:
  scenario s{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(strict, running, ::testing::Bool());

using tag_list = std::map<std::string, std::string>;

/// A holds 0 and 1, B holds 2 and 3, both at epoch 3.
void settle_two(scenario& s) {
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2, {.own = "0:0,1"});
  s.hb("B", 3);
  ASSERT_EQ(s.group(), "g3/a3 STABLE");
}

TEST_P(running, ex_30_config_changes) {
  s.join("A");
  s.set("streams.acceptable.recovery.lag", "7")
      .set("streams.num.warmup.replicas", "0")
      .set("streams.task.offset.interval.ms", "20000")
      .set("streams.heartbeat.interval.ms", "6000")
      .set("streams.session.timeout.ms", "50000");
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_EQ(s.last().answer.heartbeat_interval_ms, 6000);
  EXPECT_EQ(s.last().answer.acceptable_recovery_lag, 7);
  EXPECT_EQ(s.last().answer.task_offset_interval_ms, 20000);
  EXPECT_EQ(s.written(), "");
  s.set("streams.num.standby.replicas", "1");
  EXPECT_EQ(s.hb("A", 2), "ep 3, -, []");
  s.set("streams.rack.aware.assignment.tags", "zone,cluster");
  EXPECT_EQ(s.hb("A", 3), "ep 4, -, [6]");
  const auto detail = s.last().answer.status->front().status_detail.str();
  EXPECT_NE(detail.find("zone"), std::string::npos);
  EXPECT_NE(detail.find("cluster"), std::string::npos);
  EXPECT_EQ(s.hb("A", 4, {.version = 0}), "ep 4, -, []");
  EXPECT_EQ(s.last().answer.acceptable_recovery_lag_legacy, 0);
  EXPECT_EQ(s.hb("A", 4, {.tags = tag_list{{"zone", "z1"}}}), "ep 5, -, [6]");
  EXPECT_EQ(s.last().answer.status->front().status_detail.view().find("zone"), std::string_view::npos);
  EXPECT_EQ(s.hb("A", 5, {.tags = tag_list{}}), "ep 6, -, [6]");
}

TEST_P(running, ex_31_rebalance_timeout) {
  settle_two(s);
  s.split({{"A", "0:0-2"}, {"B", "0:3"}});
  EXPECT_EQ(s.hb("B", 3, {.rack = "r1", .rebalance_timeout_ms = 1500}), "ep 3, A{0:3}, []");
  ASSERT_EQ(s.member("B"), "UNREVOKED 3/3 A{0:3} pending A{0:2}");
  s.pass(1000);
  EXPECT_EQ(s.member("B"), "UNREVOKED 3/3 A{0:3} pending A{0:2}");
  s.pass(500);
  EXPECT_EQ(s.member("B"), "gone");
  EXPECT_EQ(s.group(), "g5/a4 ASSIGNING");
  EXPECT_EQ(s.events(), "rebalance-expired g5/a4");
  EXPECT_EQ(s.hb("B", 3), "error 25");
  EXPECT_EQ(s.leave("B"), "error 25");
}

TEST_P(running, ex_31_a_release_stops_the_timer) {
  settle_two(s);
  s.split({{"A", "0:0-2"}, {"B", "0:3"}}).hb("B", 3, {.rack = "r1", .rebalance_timeout_ms = 1500});
  EXPECT_EQ(s.hb("B", 3, {.own = "0:3"}), "ep 4, -, []");
  s.pass(1500);
  EXPECT_EQ(s.member("B"), "STABLE 4/3 A{0:3}");
}

TEST_P(running, ex_32_session_timeout) {
  s.join("A");
  s.pass(44'000);
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  s.pass(44'000);
  EXPECT_EQ(s.hb("A", 77), "error 110");
  s.pass(1'000);
  EXPECT_EQ(s.member("A"), "gone");
  EXPECT_EQ(s.group(), "g3/a3 EMPTY");
  EXPECT_EQ(s.written(), "22t 21t 19t 17 20");
  EXPECT_EQ(s.events(), "session-expired g3/a3");
}

TEST_P(running, ex_33_standby_demotion_and_promotion_in_place) {
  s.topic("foo", 2).topic("cl", 2).app(reading({"foo"}, "cl")).set("streams.num.standby.replicas", "1");
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0,1}, []");
  s.split({{"A", "0:0 S0:1"}, {"B", "0:1 S0:0"}});
  EXPECT_EQ(s.join("B"), "ep 3, S{0:0}, []");
  EXPECT_EQ(s.hb("A", 2), "ep 2, A{0:0} S{0:1}, []");
  EXPECT_EQ(s.member("A"), "UNREVOKED 2/2 A{0:0} S{0:1} pending A{0:1}");
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0,1"}), "ep 2, -, []");
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0", .own_standby = "0:1"}), "ep 3, -, []");
  EXPECT_EQ(s.hb("B", 3), "ep 3, A{0:1} S{0:0}, []");
  s.leave("A");
  s.split({{"B", "0:0,1"}});
  EXPECT_EQ(s.hb("B", 3), "ep 4, A{0:0,1}, []");
}

TEST_P(running, ex_34_two_members_of_one_process) {
  s.topic("foo", 2).topic("cl", 2).app(reading({"foo"}, "cl")).set("streams.num.standby.replicas", "1");
  s.join("A", {.process = "P"});
  s.join("B", {.process = "P"});
  for (const auto& [id, target] : s.state().targets) {
    EXPECT_TRUE(target.standby.empty()) << id;
    EXPECT_EQ(count(target.active), 1U) << id;
  }
  s.split({{"A", "0:0"}, {"B", "0:1"}, {"C", "S0:0,1"}});
  EXPECT_EQ(s.join("C", {.process = "Q"}), "ep 4, S{0:0,1}, []");
}

TEST_P(running, ex_36_unknown_ids) {
  EXPECT_EQ(s.hb("A", 3), "error 69");
  EXPECT_EQ(s.leave("A"), "error 69");
  s.join("A");
  EXPECT_EQ(s.hb("B", 2), "error 25");
  EXPECT_EQ(s.leave("B"), "error 25");
}

TEST_P(running, ex_37_assignor_fails) {
  s.break_assignor();
  EXPECT_EQ(s.join("A"), "error -1");
  EXPECT_TRUE(s.last().answer.error_message);
  EXPECT_EQ(s.state().kind, group_kind::none);
  s.break_assignor(false);
  settle_two(s);
  s.break_assignor();
  s.leave("B");
  EXPECT_EQ(s.hb("A", 3), "error -1");
  EXPECT_EQ(s.group(), "g4/a3 ASSIGNING");
  s.break_assignor(false).split({{"A", "0:0-3"}});
  EXPECT_EQ(s.hb("A", 3), "ep 4, A{0:0-3}, []");
}

TEST_P(running, an_assignor_that_gives_a_task_twice_has_failed) {
  s.split({{"A", "0:0-3"}});
  s.join("A");
  s.split({{"A", "0:0-3"}, {"B", "0:3"}});
  EXPECT_EQ(s.join("B"), "error -1");
}

TEST_P(running, ex_38_task_offsets) {
  s.join("A");
  EXPECT_EQ(s.hb("A", 2, {.offsets = "0_0=10", .end_offsets = "0_0=20"}), "ep 2, -, []");
  EXPECT_EQ(s.written(), "");
  EXPECT_EQ(s.hb("A", 2, {.offsets = "0_0=12"}), "ep 2, -, []");
  const auto& soft = s.state().soft.members.at("A");
  EXPECT_EQ(soft.offsets.get().at("0").at(0), 12);
  EXPECT_EQ(soft.end_offsets.get().at("0").at(0), 20);
  EXPECT_EQ(s.hb("A", 2, {.own = "0:99", .offsets = "0_0=99"}), "error 42");
  EXPECT_EQ(s.state().soft.members.at("A").offsets.get().at("0").at(0), 12);
  EXPECT_EQ(s.hb("A", 2, {.offsets = "0_0=1;0_0=2"}), "error 42");
  EXPECT_EQ(s.hb("A", 2, {.end_offsets = "0_0=1;0_0=2"}), "error 42");
}

TEST_P(running, ex_39_pending_task_given_back) {
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  EXPECT_EQ(s.hb("A", 2), "ep 2, A{0:0,1}, []");
  EXPECT_EQ(s.leave("B"), "ep -1, -, []");
  EXPECT_EQ(s.group(), "g4/a3 ASSIGNING");
  s.split({{"A", "0:0-3"}});
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
  EXPECT_EQ(s.target("A"), "A{0:0-3}");
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0,1"}), "ep 4, -, []");
  EXPECT_EQ(s.member("A"), "UNRELEASED 4/2 A{0:0,1}");
  EXPECT_EQ(s.hb("A", 4), "ep 4, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g4/a4 STABLE");
  const auto& epochs = s.state().members.at("A").current.assigned.active.at("0");
  EXPECT_EQ(epochs.at(1), 2);
  EXPECT_EQ(epochs.at(2), 4);
  EXPECT_EQ(epochs.at(3), 4);
}

TEST_P(running, ex_40_chained_revocation) {
  settle_two(s);  // A at 3
  s.split({{"A", "0:0"}, {"B", "0:2,3"}, {"C", "0:1"}}).join("C");
  EXPECT_EQ(s.hb("A", 3), "ep 3, A{0:0}, []");
  s.split({{"A", ""}, {"B", "0:2,3"}, {"C", "0:0,1"}}).hb("C", 4, {.rack = "r1"});
  s.hb("C", 5, {.rack = "r2"});
  ASSERT_EQ(s.group(), "g6/a6 RECONCILING");
  EXPECT_EQ(s.hb("A", 3, {.own = "0:0"}), "ep 4, {}, []");
  EXPECT_EQ(s.member("A"), "UNREVOKED 4/3 {} pending A{0:0}");
  EXPECT_EQ(s.hb("A", 4, {.own = ""}), "ep 6, -, []");
  EXPECT_EQ(s.member("A"), "STABLE 6/4 {}");
}

TEST_P(running, x2_who_never_named_a_task_is_told_once_more_that_all_is_taken_back) {
  s.join("A");
  s.split({{"A", ""}, {"B", "0:0-3"}}).join("B");
  EXPECT_EQ(s.hb("A", 2), "ep 2, {}, []") << "may be lost";
  EXPECT_EQ(s.hb("A", 2, {.own = ""}), GetParam() ? "ep 3, -, []" : "ep 3, {}, []");
  EXPECT_EQ(s.hb("A", 3, {.own = ""}), "ep 3, -, []");
}

TEST_P(running, x2_who_named_its_tasks_is_not) {
  s.join("A");
  s.hb("A", 2, {.own = "0:0-3"});
  s.split({{"A", ""}, {"B", "0:0-3"}}).join("B");
  EXPECT_EQ(s.hb("A", 2), "ep 2, {}, []");
  EXPECT_EQ(s.hb("A", 2, {.own = ""}), "ep 3, -, []");
}

TEST_P(running, ex_41_after_failover) {
  s.join("A", {.endpoint = "ha:1", .shutdown = true});
  s.hb("A", 2, {.shutdown = true});
  s.pass(30'000).reload();
  EXPECT_EQ(s.state().soft.members.at("A").session_deadline_ms, s.now() + 45'000);
  EXPECT_EQ(s.hb("A", 2, {.endpoint_epoch = 5}), "ep 2, -, []");
  EXPECT_EQ(s.endpoints(), "0, [ha: foo 0-3]");
  EXPECT_EQ(s.written(), "") << "the hash is computed again and equal";
}

TEST_P(running, ex_41_rebalance_timer_is_restored_and_initial_delay_is_not) {
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2);
  s.reload();
  EXPECT_EQ(s.state().soft.members.at("A").rebalance_deadline_ms, s.now() + 30'000);
  EXPECT_EQ(s.state().soft.members.at("A").rebalance_epoch, 2);
  EXPECT_FALSE(s.state().soft.members.at("B").rebalance_deadline_ms);

  scenario other(GetParam());
  other.delay(3000).join("A");
  other.reload();
  EXPECT_EQ(other.hb("A", 1), "ep 2, A{0:0-3}, []");
}

TEST_P(running, ex_42_broker_default_changed_over_a_restart) {
  s.join("A");
  s.reload().set("streams.num.standby.replicas", "1");
  EXPECT_EQ(s.hb("A", 2), "ep 3, -, []");
  EXPECT_EQ(s.events(), "assignment-config-changed g3/a3, target-computed g3/a3 moved 0");
}

TEST_P(running, ex_44_removal_does_not_assign) {
  settle_two(s);
  s.leave("B");
  EXPECT_EQ(s.group(), "g4/a3 ASSIGNING");
  s.split({{"A", "0:0-3"}});
  EXPECT_EQ(s.hb("A", 3), "ep 4, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g4/a4 STABLE");
}

TEST_P(running, ex_46_lost_answer_to_the_very_first_join) {
  s.join("A");
  EXPECT_EQ(s.join("A"), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g2/a2 STABLE");
  EXPECT_EQ(s.hb("A", 1), "error 110");
}

TEST_P(running, ex_47_repeated_subtopology_in_an_owned_list) {
  settle_two(s);
  auto twice = s.request("A", 3, {.own = "0:0"});
  twice.active_tasks->push_back(twice.active_tasks->front());
  twice.active_tasks->back().partitions = {1};
  EXPECT_EQ(s.send(twice), "ep 3, -, []") << "accepted while reconciled";
  s.split({{"A", "0:0-2"}, {"B", "0:3"}}).hb("B", 3, {.rack = "r1"});
  EXPECT_EQ(s.send(twice), GetParam() ? "error -1" : "error 42");
}

TEST_P(running, g11_an_entry_without_partitions_names_a_known_subtopology) {
  s.join("A");
  auto request = s.request("A", 2, {.own = "0:0-3"});
  request.standby_tasks->resize(1);
  request.standby_tasks->front().subtopology_id = "no-such";
  EXPECT_EQ(s.send(request), "error 42");
  request.standby_tasks->front().subtopology_id = "0";
  EXPECT_EQ(s.send(request).substr(0, 4), "ep 2");
}

TEST_P(running, g13b_an_empty_entry_counts_as_naming_its_subtopology) {
  settle_two(s);
  s.split({{"A", "0:0-2"}, {"B", "0:3"}}).hb("B", 3, {.rack = "r1"});
  for (const std::vector<std::vector<int>>& parts : {std::vector<std::vector<int>>{{}, {0}}, {{0}, {}}, {{}, {}}}) {
    auto twice = s.request("A", 3, {.own = "0:0"});
    twice.active_tasks->resize(2, twice.active_tasks->front());
    for (std::size_t i = 0; i < 2; ++i) (*twice.active_tasks)[i].partitions = {parts[i].begin(), parts[i].end()};
    EXPECT_EQ(s.send(twice), GetParam() ? "error -1" : "error 42");
  }
}

TEST_P(running, g14_unknown_state_must_own_nothing) {
  s.join("A");
  auto current = s.state().members.at("A").current;
  current.state = member_state::unknown;
  apply(s.mutable_state(), current_assignment_record{.member_id = "A", .value = current});
  const request_context context{.version = 1, .client_id = "client", .client_host = "/127.0.0.1"};
  const auto ask = [&](const with& fields) {
    return heartbeat(s.state(), s.request("A", 2, fields), context, s.view());
  };
  EXPECT_EQ(ask({}).answer.error_code, 110);
  EXPECT_EQ(ask({.own = "0:1"}).answer.error_code, 110);
  EXPECT_EQ(ask({.own = ""}).answer.error_code, 0);
  EXPECT_EQ(ask({.own = ""}).answer.member_epoch, 2);
}

TEST_P(running, events_tell_every_cause_once) {
  s.join("A");
  EXPECT_EQ(s.events(), "member-joined g2/a2, target-computed g2/a2 moved 4");
  const auto& joined = s.last_events().front();
  EXPECT_EQ(joined.member_id, "A");
  EXPECT_EQ(joined.process_id, "p-A");
  EXPECT_EQ(joined.client_id, "client");
  EXPECT_NE(joined.detail.find("topology-ready"), std::string::npos) << joined.detail;
  EXPECT_NE(joined.detail.find("metadata-changed"), std::string::npos) << joined.detail;
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  EXPECT_EQ(s.events(), "member-joined g3/a3, target-computed g3/a3 moved 2");
  s.hb("A", 2, {.rack = "r1"});
  EXPECT_EQ(s.events(), "member-changed g4/a4, target-computed g4/a4 moved 2");
  EXPECT_EQ(s.last_events().front().detail, "rack none -> r1");
  s.leave("B");
  EXPECT_EQ(s.events(), "member-left g5/a4");
  s.no_topic("foo");
  s.hb("A", 2);
  EXPECT_EQ(s.events(), "metadata-changed g6/a6, target-computed g6/a6 moved 2");
  EXPECT_NE(s.last_events().front().detail.find("topology-not-ready"), std::string::npos);
}

}  // namespace
}  // namespace weir::group
