// Defaults of all groups tuned at run time, at a whole node: durable, in force at once, signed; mistakes change none.
#include <gtest/gtest.h>

#include "tests/unit/actors/world.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

constexpr const char* standbys = "streams.num.standby.replicas";
constexpr const char* heartbeat_interval = "streams.heartbeat.interval.ms";

defaults_request wanted(std::map<std::string, std::optional<std::string>, std::less<>> values, bool dry_run = false) {
  return {{.replaces = false, .values = std::move(values), .only_if = {}}, "ops", dry_run};
}

defaults_result tune(world& w, defaults_request asked) {
  return w.ask<defaults_result>([&](auto done) { w.coordinator->alter_defaults(std::move(asked), done); });
}

TEST(defaults, are_in_force_at_once_signed_and_survive_a_restart) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  const auto epoch = w.view()->group.metadata.epoch;
  const auto done = tune(w, wanted({{standbys, "1"}, {heartbeat_interval, "7000"}}));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->groups, std::vector<std::string>{"g"});
  w.run();
  const auto view = w.view();
  EXPECT_EQ(view->group.metadata.epoch, epoch + 1) << "the epoch moves before any heartbeat";
  EXPECT_EQ(view->group.target_info.assignment_epoch, epoch + 1);
  EXPECT_EQ(view->config.num_standby_replicas, 1);
  EXPECT_TRUE(view->own_config.empty());
  const auto& event = view->timeline.at(view->timeline.size() - 2);
  EXPECT_EQ(event.why, group::cause::assignment_config_changed);
  EXPECT_EQ(event.by, "ops");
  EXPECT_EQ(event.detail, "streams.num.standby.replicas 0 -> 1");
  EXPECT_EQ(w.beat("C", 0).heartbeat_interval_ms, 7'000);
  w.stop();
  w.start();
  EXPECT_EQ(w.view()->config.num_standby_replicas, 1);
  const auto kept = w.coordinator->defaults();
  EXPECT_EQ(kept->set.size(), 2U);
  ASSERT_EQ(kept->history.size(), 1U);
  EXPECT_EQ(kept->history.front().by, "ops");
  EXPECT_EQ(kept->history.front().changes.front(), (group::field_change{heartbeat_interval, "none", "7000"}));
}

TEST(defaults, a_groups_own_setting_is_the_stronger_one) {
  world w;
  w.beat("A", 0);
  const change_settings own{{.replaces = false, .values = {{standbys, "2"}}, .only_if = {}}};
  ASSERT_TRUE(w.ask<admin_result>([&](auto done) { w.coordinator->administer({"g", "", own}, done); }));
  const auto epoch = w.view()->group.metadata.epoch;
  const auto done = tune(w, wanted({{standbys, "1"}}));
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->groups.empty());
  EXPECT_EQ(w.view()->config.num_standby_replicas, 2);
  EXPECT_EQ(w.view()->group.metadata.epoch, epoch) << "nothing differs for this group";
}

TEST(defaults, mistakes_and_dry_runs_change_nothing) {
  world w;
  w.beat("A", 0);
  EXPECT_EQ(tune(w, wanted({{standbys, "77"}})).error().code, error_code::invalid_config);
  EXPECT_EQ(tune(w, wanted({{"group.streams.max.size", "1"}})).error().code, error_code::invalid_config);
  auto old = wanted({{standbys, "1"}});
  old.change.only_if = "0123456789abcdef";
  EXPECT_EQ(tune(w, old).error().code, error_code::invalid_update_version);
  const auto tried = tune(w, wanted({{standbys, "1"}}, true));
  ASSERT_TRUE(tried);
  EXPECT_EQ(tried->groups, std::vector<std::string>{"g"});
  EXPECT_EQ(tried->defaults->broker.num_standby_replicas, 1) << "as it would be";
  EXPECT_TRUE(w.coordinator->defaults()->set.empty());
  EXPECT_TRUE(w.coordinator->defaults()->history.empty());
  EXPECT_EQ(w.view()->config.num_standby_replicas, 0);
}

TEST(defaults, that_do_not_fit_the_settings_of_a_group_are_refused_and_it_is_named) {
  auto options = quick_options();
  options.broker.min_session_timeout_ms = 10'000;
  world w(options);
  const change_settings own{{.replaces = false, .values = {{heartbeat_interval, "15000"}}, .only_if = {}}};
  ASSERT_TRUE(w.ask<admin_result>([&](auto done) { w.coordinator->administer({"slow", "", own}, done); }));
  const auto refused = tune(w, wanted({{"streams.session.timeout.ms", "12000"}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, error_code::invalid_config);
  EXPECT_NE(refused.error().message.find("group slow"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(tune(w, wanted({{"streams.session.timeout.ms", "20000"}})));
}

TEST(defaults, one_change_is_written_after_the_other_and_nothing_is_in_force_before_it_is_durable) {
  world w;
  w.log.hold();
  std::optional<defaults_result> first;
  w.coordinator->alter_defaults(wanted({{standbys, "1"}}), [&](defaults_result got) { first = std::move(got); });
  w.run();
  EXPECT_FALSE(first);
  EXPECT_TRUE(w.coordinator->defaults()->set.empty());
  EXPECT_EQ(tune(w, wanted({{standbys, "2"}})).error().code, error_code::coordinator_not_available);
  w.log.resume();
  w.run();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ(w.coordinator->defaults()->broker.num_standby_replicas, 1);
  w.log.fail_next(1, "no room");
  EXPECT_EQ(tune(w, wanted({{standbys, "2"}})).error().code, error_code::coordinator_not_available);
  EXPECT_EQ(w.coordinator->defaults()->broker.num_standby_replicas, 1) << "a failed write leaves nothing";
  EXPECT_TRUE(tune(w, wanted({{standbys, "2"}})));
}

TEST(defaults, the_newest_changes_are_remembered) {
  world w;
  for (std::size_t i = 0; i < defaults_history_max + 2; ++i) {
    ASSERT_TRUE(tune(w, wanted({{"streams.acceptable.recovery.lag", std::to_string(i)}})));
  }
  ASSERT_TRUE(tune(w, wanted({{"streams.acceptable.recovery.lag", std::to_string(defaults_history_max + 1)}})));
  const auto now = w.coordinator->defaults();
  EXPECT_EQ(now->history.size(), defaults_history_max) << "the same again is no change";
  EXPECT_EQ(now->history.front().changes.front().after, std::to_string(defaults_history_max + 1));
  EXPECT_EQ(decode_defaults(encode_defaults(*now))->history, now->history);
  EXPECT_EQ(decode_defaults(encode_defaults(*now))->set, now->set);
}

TEST(defaults, an_entry_that_cannot_be_read_is_told) {
  const auto whole =
      encode_defaults({.set = {{standbys, "1"}}, .broker = {}, .history = {{1, "ops", {{"a", "b", "c"}}}}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_defaults(std::string_view(whole).substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_defaults(whole + "x"));
}

TEST(defaults, that_no_longer_fit_the_configuration_are_not_in_force) {
  storage::memory_log log;
  storage::append_request append;
  append.writes.push_back(defaults_store::to_write(
      {.set = {{"streams.session.timeout.ms", "46000"}}, .broker = {}, .history = {{1, "ops", {{"a", "b", "c"}}}}}));
  append.done = [](const result<void>& written) { EXPECT_TRUE(written); };
  log.append(std::move(append));
  group::broker_config configured;
  configured.max_heartbeat_interval_ms = configured.heartbeat_interval_ms = 50'000;
  configured.session_timeout_ms = 60'000;
  defaults_store store(configured);
  ASSERT_TRUE(store.load(log));
  EXPECT_EQ(store.get()->broker.session_timeout_ms, 60'000);
  EXPECT_TRUE(store.get()->set.empty());
  EXPECT_EQ(store.get()->history.size(), 1U) << "who changed what is still told";
}

}  // namespace
}  // namespace weir::actors
