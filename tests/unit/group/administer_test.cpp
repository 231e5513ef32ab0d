// What an administrator does to a group: a rebalance, other settings, draining a process.
#include "group/administer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

using protocol::error_code;

// A and B run two stateful tasks each, and have said how far their state is.
scenario two_processes() {
  scenario s(false);
  s.topic("cl", 4).app(reading({"foo"}, "cl")).set("streams.acceptable.recovery.lag", "100");
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2, {.own = "0:0-3"});
  s.hb("A", 2, {.own = "0:0,1", .offsets = "0_0=5000;0_1=5000", .end_offsets = "0_0=5000;0_1=5000"});
  s.hb("B", 3, {.offsets = "0_2=5000;0_3=5000", .end_offsets = "0_2=5000;0_3=5000"});
  return s;
}

TEST(administer, changed_settings_are_told_but_for_what_a_rebalance_tells) {
  auto s = two_processes();
  const overrides before{{"streams.session.timeout.ms", "45000"}};
  const overrides after{{"streams.heartbeat.interval.ms", "7000"}, {"streams.num.standby.replicas", "1"}};
  const auto former = s.view().config;
  s.set("streams.num.standby.replicas", "1");
  const auto told = config_event(s.state(), s.view(), before, after, &former);
  ASSERT_TRUE(told);
  EXPECT_EQ(name(told->why), "config-changed");
  EXPECT_EQ(told->group_epoch, s.state().metadata.epoch);
  EXPECT_EQ(told->changes, (std::vector<field_change>{{"streams.session.timeout.ms", "45000", "not set"},
                                                      {"streams.heartbeat.interval.ms", "not set", "7000"}}));
  EXPECT_EQ(config_event(s.state(), s.view(), before, after, nullptr)->changes.size(), 3U);
  EXPECT_FALSE(config_event(s.state(), s.view(), after, after, nullptr));
}

TEST(administer, a_rebalance_moves_the_epoch_and_computes_the_target_at_once) {
  auto s = two_processes();
  const auto epoch = s.state().metadata.epoch;
  ASSERT_EQ(name(state_of(s.state())), "Stable") << s.member("A") << s.member("B");
  s.split({{"A", "0:0"}, {"B", "0:1-3"}});
  s.carry_out(rebalance(s.state(), s.view(), cause::rebalance_requested, "asked for"));
  EXPECT_EQ(s.state().metadata.epoch, epoch + 1);
  EXPECT_EQ(s.state().target_info.assignment_epoch, epoch + 1);
  EXPECT_EQ(s.target("B"), "A{0:1-3}");
  ASSERT_EQ(s.last_events().size(), 2U);
  EXPECT_EQ(name(s.last_events()[0].why), "rebalance-requested");
  EXPECT_EQ(s.last_events()[0].assignment_epoch, epoch + 1);
  EXPECT_EQ(s.last_events()[0].detail, "asked for");
  EXPECT_EQ(s.last_events()[1].tasks_moved, 1);
}

TEST(administer, within_the_assignment_interval_the_next_heartbeat_that_may_computes) {
  auto s = two_processes();
  s.interval(15'000);
  const auto assigned = s.state().target_info.assignment_epoch;
  s.carry_out(rebalance(s.state(), s.view(), cause::rebalance_requested, ""));
  EXPECT_EQ(s.state().target_info.assignment_epoch, assigned);
  EXPECT_EQ(name(state_of(s.state())), "Assigning");
  s.pass(15'001);
  s.hb("A", s.state().members.at("A").current.member_epoch);
  EXPECT_EQ(s.state().target_info.assignment_epoch, s.state().metadata.epoch);
}

TEST(administer, a_group_that_has_not_looked_at_its_topics_since_a_restart_waits_for_a_heartbeat) {
  auto s = two_processes();
  s.reload();
  const auto assigned = s.state().target_info.assignment_epoch;
  s.carry_out(rebalance(s.state(), s.view(), cause::rebalance_requested, ""));
  EXPECT_EQ(s.state().target_info.assignment_epoch, assigned);
  EXPECT_EQ(s.written(), "17");
}

TEST(administer, nothing_to_rebalance_without_members) {
  scenario s(false);
  const auto outcome = rebalance(s.state(), s.view(), cause::rebalance_requested, "");
  EXPECT_TRUE(outcome.records.empty());
  EXPECT_TRUE(outcome.events.empty());
}

TEST(administer, settings_that_a_target_depends_on_are_followed_and_others_are_not) {
  auto s = two_processes();
  auto before = s.view().config;
  s.set("streams.heartbeat.interval.ms", "6000");
  EXPECT_TRUE(follow_config(s.state(), s.view(), before).records.empty());
  before = s.view().config;
  s.set("streams.num.standby.replicas", "1");
  s.split({{"A", "0:0,1 S0:2,3"}, {"B", "0:2,3 S0:0,1"}});
  s.carry_out(follow_config(s.state(), s.view(), before));
  EXPECT_EQ(name(s.last_events().at(0).why), "assignment-config-changed");
  EXPECT_EQ(s.last_events()[0].detail, "streams.num.standby.replicas 0 -> 1");
  EXPECT_EQ(s.target("A"), "A{0:0,1} S{0:2,3}");
  const auto epoch = s.state().metadata.epoch;
  s.hb("A", s.state().members.at("A").current.member_epoch);
  EXPECT_EQ(s.state().metadata.epoch, epoch) << "the heartbeat finds nothing left to follow";
}

TEST(administer, tasks_of_a_drained_process_warm_up_elsewhere_before_they_move) {
  auto s = two_processes();
  s.split({{"A", "0:0-3"}});  // whoever is asked without B
  s.drain({"p-B"});
  ASSERT_FALSE(check_drain(s.state(), s.view().config, "p-B"));
  s.carry_out(rebalance(s.state(), s.view(), cause::rebalance_requested, "drain"));
  EXPECT_EQ(s.target("B"), "{}");
  EXPECT_EQ(s.target("A"), "A{0:0-3}");
  const auto epoch = s.state().metadata.epoch;
  s.hb("B", epoch - 1);
  s.hb("A", epoch - 1);
  EXPECT_EQ(s.member("B"), "STABLE " + std::to_string(epoch) + "/" + std::to_string(epoch - 1) + " A{0:2,3}")
      << "it runs them until A has caught up";
  EXPECT_EQ(s.member("A"), "STABLE " + std::to_string(epoch) + "/" + std::to_string(epoch - 1) + " A{0:0,1} W{0:2,3}");
  s.hb("A", epoch, {.own = "0:0,1", .own_warmup = "0:2,3", .offsets = "0_2=4950;0_3=4950",
                    .end_offsets = "0_2=5000;0_3=5000"});
  s.hb("B", epoch, {.own = "0:2,3"});
  s.hb("B", epoch, {.own = ""});
  EXPECT_EQ(s.member("B"), "STABLE " + std::to_string(epoch + 1) + "/" + std::to_string(epoch) + " {}");
  s.hb("A", epoch + 1);
  EXPECT_EQ(s.state().members.at("A").current.assigned.active.at("0").size(), 4U);
}

TEST(administer, the_last_processes_that_could_run_tasks_cannot_be_drained) {
  auto s = two_processes();
  EXPECT_EQ(check_drain(s.state(), s.view().config, "p-C").value().code, error_code::unknown_member_id);
  s.drain({"p-B"});
  EXPECT_EQ(check_drain(s.state(), s.view().config, "p-A").value().code, error_code::invalid_request);
  // The others may leave meanwhile: somebody must run the tasks.
  s.leave("A");
  s.split({{"B", "0:0-3"}});
  s.hb("B", s.state().members.at("B").current.member_epoch);
  EXPECT_EQ(s.target("B"), "A{0:0-3}");
}

TEST(administer, a_mark_ends_with_its_process) {
  auto s = two_processes();
  s.drain({"p-A", "p-B"});
  EXPECT_EQ(still_drained(s.state(), s.view().config).size(), 2U);
  s.leave("A");
  EXPECT_EQ(still_drained(s.state(), s.view().config), (drain_marks{{"p-B", {"B"}}}));
}

TEST(administer, a_process_that_has_started_again_is_drained_until_its_former_members_are_gone) {
  auto s = two_processes();
  s.drain({"p-B"});
  s.split({{"A", "0:0-3"}}).join("B2", {.process = "p-B"});
  const auto marks = still_drained(s.state(), s.view().config);
  EXPECT_EQ(marks, (drain_marks{{"p-B", {"B"}}}));
  EXPECT_EQ(back_from_drain(s.state(), s.view().config, marks), "");
  s.leave("B");
  const auto remaining = still_drained(s.state(), s.view().config);
  EXPECT_TRUE(remaining.empty());
  EXPECT_EQ(back_from_drain(s.state(), s.view().config, remaining),
            "process p-B has started again and is no longer drained");
}

TEST(administer, a_rebalance_waits_for_topics_that_have_changed) {
  auto s = two_processes();
  s.topic("foo", 6);
  invalidate_metadata(s.mutable_state());
  const auto outcome = rebalance(s.state(), s.view(), cause::rebalance_requested, "");
  ASSERT_EQ(outcome.events.size(), 1U) << "no target of the old number of partitions";
  EXPECT_EQ(outcome.records.size(), 1U);
}

TEST(config_change, replaces_or_patches_and_names_what_is_wrong) {
  const overrides now{{"streams.num.standby.replicas", "1"}, {"streams.assignment.interval.ms", "5"}};
  const auto after = [&](const config_change& change) { return overrides_after(now, change, {}); };
  const auto patched =
      after({.replaces = false, .values = {{"streams.num.standby.replicas", std::nullopt}}, .only_if = {}});
  EXPECT_EQ(patched.value(), (overrides{{"streams.assignment.interval.ms", "5"}}));
  EXPECT_TRUE(after({.replaces = true, .values = {}, .only_if = {}})->empty());
  const auto unknown = after({.replaces = false, .values = {{"streams.nonsense", std::nullopt}}, .only_if = {}});
  EXPECT_EQ(unknown.error().code, error_code::invalid_config);
  EXPECT_NE(unknown.error().message.find("streams.nonsense"), std::string::npos);
  EXPECT_EQ(after({.replaces = false, .values = {{"streams.num.standby.replicas", "9"}}, .only_if = {}}).error().code,
            error_code::invalid_config);
}

TEST(config_change, is_refused_if_the_settings_are_not_those_it_was_made_for) {
  const overrides now{{"streams.num.standby.replicas", "1"}};
  const auto only_if = [&](const std::string& tag) {
    return overrides_after(now, {.replaces = true, .values = {}, .only_if = tag}, {});
  };
  EXPECT_TRUE(only_if(config_tag(now)));
  EXPECT_TRUE(only_if("*"));
  EXPECT_EQ(only_if(config_tag({})).error().code, error_code::invalid_update_version);
  EXPECT_NE(config_tag({{"a", "bc"}}), config_tag({{"ab", "c"}}));
}

}  // namespace
}  // namespace weir::group
