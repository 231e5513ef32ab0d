// Administrators' requests at a whole node: what they change is durable, in force at once, and signed in the timeline.
#include <gtest/gtest.h>

#include "tests/unit/actors/world.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

admin_result administer(world& w, decltype(admin_request::what) what, const std::string& group_id = "g") {
  return w.ask<admin_result>([&](auto done) { w.coordinator->administer({group_id, "ops", std::move(what)}, done); });
}

change_settings settings(std::map<std::string, std::optional<std::string>, std::less<>> values,
                         std::optional<std::string> only_if = {}) {
  return {{.replaces = false, .values = std::move(values), .only_if = std::move(only_if)}};
}

/// A and B, each a process of its own, hold two tasks each.
void fill(world& w) {
  w.beat("A", 0);
  w.beat("B", 0);
  for (int i = 0; i < 6; ++i) {
    for (const auto* member : {"A", "B"}) {
      const auto view = w.view();
      auto request = heartbeat_request(member, view->group.members.at(member).current.member_epoch);
      request.active_tasks.emplace();
      request.standby_tasks.emplace();
      request.warmup_tasks.emplace();
      const auto& current = view->group.members.at(member).current;
      for (const auto& [id, partitions] : current.assigned.active) {
        auto& owned = request.active_tasks->emplace_back();
        owned.subtopology_id = text(id);
        for (const auto& [partition, epoch] : partitions) owned.partitions.push_back(partition);
      }
      w.send(std::move(request));
    }
  }
  ASSERT_EQ(w.view()->state, group::group_state::stable);
}

TEST(administration, settings_are_in_force_at_once_and_survive_a_restart) {
  world w;
  fill(w);
  const auto epoch = w.view()->group.metadata.epoch;
  const auto answer = administer(w, settings({{"streams.num.standby.replicas", "1"}}));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->group_epoch, epoch + 1) << "the epoch moves before any heartbeat";
  EXPECT_EQ(answer->overrides, (group::overrides{{"streams.num.standby.replicas", "1"}}));
  const auto view = w.view();
  EXPECT_EQ(view->config.num_standby_replicas, 1);
  EXPECT_EQ(view->group.target_info.assignment_epoch, epoch + 1);
  const auto& events = view->timeline;
  EXPECT_EQ(events.at(events.size() - 2).why, group::cause::assignment_config_changed);
  EXPECT_EQ(events.at(events.size() - 2).by, "ops");
  w.stop();
  w.start();
  EXPECT_EQ(w.view()->config.num_standby_replicas, 1);
  EXPECT_EQ(w.view()->group.metadata.epoch, epoch + 1);
}

TEST(administration, settings_that_move_no_epoch_are_told_and_signed) {
  world w;
  fill(w);
  const auto epoch = w.view()->group.metadata.epoch;
  ASSERT_TRUE(administer(w, settings({{"streams.session.timeout.ms", "50000"}})));
  const auto view = w.view();
  EXPECT_EQ(view->group.metadata.epoch, epoch);
  const auto& told = view->timeline.back();
  EXPECT_EQ(told.why, group::cause::config_changed);
  EXPECT_EQ(told.by, "ops");
  EXPECT_EQ(told.group_epoch, epoch);
  EXPECT_EQ(told.detail, "streams.session.timeout.ms not set -> 50000");
  EXPECT_EQ(told.stable_after_ms, std::nullopt) << "nothing had to settle";
  EXPECT_EQ(w.coordinator->counters().of(group::cause::config_changed), 1U);

  ASSERT_TRUE(administer(w, settings({{"streams.session.timeout.ms", {}}, {"streams.num.standby.replicas", "1"}})));
  const auto events = w.view()->timeline;
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(events.at(events.size() - 3).detail, "streams.session.timeout.ms 50000 -> not set");
  EXPECT_EQ(events.at(events.size() - 2).why, group::cause::assignment_config_changed);
  ASSERT_TRUE(w.alter({{"streams.heartbeat.interval.ms", "7000"}}));
  EXPECT_EQ(w.view()->timeline.back().why, group::cause::config_changed);
  EXPECT_EQ(w.view()->timeline.back().by, "") << "Kafka's tools have no name here";
  w.stop();
  w.start();
  EXPECT_EQ(w.view()->timeline.back().why, group::cause::config_changed);
}

TEST(administration, probes_and_reads_of_one_member_show_that_member) {
  world w;
  fill(w);
  const auto health = w.ask<told_health>([&](auto done) { w.coordinator->health_of("g", "B", done); });
  ASSERT_TRUE(health);
  EXPECT_EQ(health->state, group::group_state::stable);
  EXPECT_TRUE(health->has_present_members);
  EXPECT_TRUE(health->member);
  EXPECT_TRUE(health->waits.empty());
  const auto nobody = w.ask<told_health>([&](auto done) { w.coordinator->health_of("nobody", "", done); });
  EXPECT_EQ(nobody.error().code, error_code::group_id_not_found);

  const auto one = w.ask<viewed_group>([&](auto done) { w.coordinator->view_member("g", "B", done); });
  ASSERT_TRUE(one);
  EXPECT_EQ((*one)->group.members.size(), 1U);
  EXPECT_TRUE((*one)->group.members.contains("B"));
  const auto state = w.ask<viewed_group>([&](auto done) { w.coordinator->view_state("g", done); });
  ASSERT_TRUE(state);
  EXPECT_EQ((*state)->group.members.size(), 2U);
  EXPECT_TRUE((*state)->timeline.empty());
  EXPECT_FALSE(w.view()->timeline.empty());
}

TEST(administration, settings_can_be_made_before_the_group_is_there) {
  world w;
  ASSERT_TRUE(administer(w, settings({{"streams.heartbeat.interval.ms", "7000"}})));
  EXPECT_EQ(w.beat("A", 0).heartbeat_interval_ms, 7'000);
}

TEST(administration, of_two_changes_made_for_the_same_settings_the_second_is_refused_even_while_the_first_is_written) {
  world w;
  w.beat("A", 0);
  const auto tag = group::config_tag({});
  w.log.hold();
  std::optional<admin_result> first;
  std::optional<admin_result> second;
  w.coordinator->administer({"g", "", settings({{"streams.heartbeat.interval.ms", "7000"}}, tag)},
                            [&](admin_result got) { first = std::move(got); });
  w.coordinator->administer({"g", "", settings({{"streams.heartbeat.interval.ms", "8000"}}, tag)},
                            [&](admin_result got) { second = std::move(got); });
  w.run();
  EXPECT_FALSE(first) << "nothing is answered before it is durable";
  w.log.resume();
  w.run();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*first);
  EXPECT_EQ(second->error().code, error_code::invalid_update_version);
  EXPECT_EQ(w.view()->config.heartbeat_interval_ms, 7'000);
}

TEST(administration, a_rebalance_moves_the_epoch_and_is_signed) {
  world w;
  fill(w);
  const auto epoch = w.view()->group.metadata.epoch;
  EXPECT_EQ(administer(w, ask_rebalance{})->group_epoch, epoch + 1);
  const auto view = w.view();
  EXPECT_EQ(view->timeline.at(view->timeline.size() - 2).why, group::cause::rebalance_requested);
  EXPECT_EQ(view->timeline.back().why, group::cause::target_computed);
  EXPECT_EQ(view->timeline.back().by, "ops");
  EXPECT_EQ(administer(w, ask_rebalance{}, "nobody").error().code, error_code::group_id_not_found);
}

TEST(administration, a_member_is_taken_out_and_told_at_its_next_heartbeat) {
  world w;
  fill(w);
  EXPECT_EQ(administer(w, take_out_member{"Z"}).error().code, error_code::unknown_member_id);
  ASSERT_TRUE(administer(w, take_out_member{"B"}));
  EXPECT_FALSE(w.view()->group.members.contains("B"));
  EXPECT_EQ(w.view()->timeline.back().why, group::cause::member_removed);
  EXPECT_EQ(error_of(w.beat("B", 3)), code_of(error_code::unknown_member_id));
}

TEST(administration, a_drained_process_loses_its_tasks_keeps_the_mark_over_a_restart_and_the_mark_ends_with_it) {
  world w;
  fill(w);
  EXPECT_EQ(administer(w, mark_drained{"nobody"}).error().code, error_code::unknown_member_id);
  ASSERT_TRUE(administer(w, mark_drained{"process-B"}));
  EXPECT_TRUE(w.view()->group.targets.at("B").active.empty());
  EXPECT_EQ(group::count(w.view()->group.targets.at("A").active), 4U);
  EXPECT_EQ(administer(w, mark_drained{"process-A"}).error().code, error_code::invalid_request);
  w.stop();
  w.start();
  EXPECT_TRUE(w.view()->config.drained_processes.contains("process-B"));
  EXPECT_TRUE(w.coordinator->configured_groups().empty()) << "a mark is no setting";
  w.send("B", -1);
  EXPECT_TRUE(w.view()->config.drained_processes.empty());
  w.stop();
  w.start();
  EXPECT_TRUE(w.view()->config.drained_processes.empty());
}

TEST(administration, a_drained_process_that_was_started_again_gets_tasks_when_its_former_members_are_gone) {
  world w;
  fill(w);
  ASSERT_TRUE(administer(w, mark_drained{"process-B"}));
  auto again = heartbeat_request("B2", 0);
  again.process_id = "process-B";
  w.send(std::move(again));
  EXPECT_TRUE(w.view()->config.drained_processes.contains("process-B"));
  EXPECT_EQ(group::count(w.view()->group.targets.at("A").active), 4U);
  w.send("B", -1);
  const auto view = w.view();
  EXPECT_TRUE(view->config.drained_processes.empty());
  EXPECT_EQ(group::count(view->group.targets.at("B2").active), 2U) << "without another heartbeat";
  const auto& events = view->timeline;
  EXPECT_EQ(events.at(events.size() - 2).why, group::cause::rebalance_requested);
  EXPECT_EQ(events.at(events.size() - 2).detail, "process process-B has started again and is no longer drained");
  w.stop();
  w.start();
  EXPECT_TRUE(w.view()->config.drained_processes.empty());
}

TEST(administration, a_drained_static_member_gets_tasks_when_it_comes_back) {
  world w;
  w.beat("A", 0);
  const auto of_instance = [](const std::string& member, int epoch) {
    auto request = heartbeat_request(member, epoch);
    request.instance_id = "i";
    if (epoch == 0) request.process_id = "p";
    return request;
  };
  w.send(of_instance("S1", 0));
  ASSERT_TRUE(administer(w, mark_drained{"p"}));
  w.send(of_instance("S1", -2));
  EXPECT_TRUE(w.view()->config.drained_processes.contains("p")) << "nobody gives it tasks while it is away";
  w.send(of_instance("S2", 0));
  const auto view = w.view();
  EXPECT_TRUE(view->config.drained_processes.empty());
  EXPECT_EQ(group::count(view->group.targets.at("S2").active), 2U);
}

TEST(administration, a_drain_can_be_taken_back) {
  world w;
  fill(w);
  ASSERT_TRUE(administer(w, mark_drained{"process-B"}));
  ASSERT_TRUE(administer(w, mark_drained{"process-B", false}));
  EXPECT_EQ(group::count(w.view()->group.targets.at("B").active), 2U);
}

TEST(administration, an_administrator_of_kafka_leaves_a_drain_alone) {
  world w;
  fill(w);
  ASSERT_TRUE(administer(w, mark_drained{"process-B"}));
  ASSERT_TRUE(w.alter({}));
  EXPECT_TRUE(w.view()->config.drained_processes.contains("process-B"));
}

TEST(administration, a_change_by_kafkas_tools_builds_on_one_that_is_not_durable_yet) {
  world w;
  fill(w);
  w.log.hold();
  bool is_written = false;
  w.coordinator->administer({"g", "ops", settings({{"streams.num.standby.replicas", "1"}})},
                            [&](const admin_result& told) { is_written = told.has_value(); });
  std::optional<protocol::kafka_result<void>> altered;
  w.coordinator->alter_config("g",
                              [](group::overrides& set) {
                                set["streams.heartbeat.interval.ms"] = "7000";
                                return protocol::kafka_result<void>();
                              },
                              [&](protocol::kafka_result<void> told) { altered = std::move(told); });
  w.log.resume();
  w.run();
  ASSERT_TRUE(is_written && altered && *altered);
  EXPECT_EQ(w.view()->own_config, (group::overrides{{"streams.heartbeat.interval.ms", "7000"},
                                                    {"streams.num.standby.replicas", "1"}}));
}

TEST(administration, another_assignor_is_asked_at_once_however_it_was_named) {
  for (const bool strict : {false, true}) {
    auto options = quick_options();
    options.strict_kafka = strict;
    options.broker.assignors = {"highly_available", "sticky"};
    world w(options);
    w.beat("A", 0);
    const auto epoch = w.view()->group.metadata.epoch;
    ASSERT_TRUE(w.alter({{"streams.assignor.name", "sticky"}}));
    EXPECT_EQ(w.view()->group.metadata.epoch, strict ? epoch : epoch + 1);
    ASSERT_TRUE(w.alter({{"streams.assignor.name", "sticky"}, {"streams.session.timeout.ms", "50000"}}));
    EXPECT_EQ(w.view()->group.metadata.epoch, strict ? epoch : epoch + 1) << "it is the same one";
  }
}

TEST(administration, a_failed_write_leaves_the_settings_as_they_were) {
  world w;
  fill(w);
  const auto epoch = w.view()->group.metadata.epoch;
  w.log.fail_next(1, "no space");
  const auto answer = administer(w, settings({{"streams.num.standby.replicas", "1"}}));
  EXPECT_FALSE(answer);
  w.pass(1'000);
  EXPECT_EQ(w.view()->config.num_standby_replicas, 0);
  EXPECT_EQ(w.view()->group.metadata.epoch, epoch);
}

}  // namespace
}  // namespace weir::actors
