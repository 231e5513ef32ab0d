// Spec 01, section 10: names, defaults, bounds, clamping.
#include "group/config.hpp"
#include "group/defaults.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::group {
namespace {

TEST(broker_config, defaults_are_valid) { EXPECT_TRUE(broker_config().check()); }

template <auto Field, class Value>
std::string error_with(Value value) {
  broker_config config;
  config.*Field = value;
  const auto checked = config.check();
  return checked ? "" : checked.error().message;
}

TEST(broker_config, every_bound_of_10_1_names_key_and_range) {
  using b = broker_config;
  EXPECT_EQ(error_with<&b::session_timeout_ms>(44'999),
            "group.streams.session.timeout.ms: 44999 is not between 45000 and 60000");
  EXPECT_NE(error_with<&b::min_session_timeout_ms>(0), "");
  EXPECT_NE(error_with<&b::max_session_timeout_ms>(44'999), "");
  EXPECT_NE(error_with<&b::heartbeat_interval_ms>(15'001), "");
  EXPECT_NE(error_with<&b::max_size>(0), "");
  EXPECT_NE(error_with<&b::num_standby_replicas>(3), "");
  EXPECT_NE(error_with<&b::num_warmup_replicas>(21), "");
  EXPECT_NE(error_with<&b::initial_rebalance_delay_ms>(-1), "");
  EXPECT_NE(error_with<&b::assignment_interval_ms>(15'001), "");
  EXPECT_NE(error_with<&b::task_offset_interval_ms>(14'999), "");
  EXPECT_NE(error_with<&b::acceptable_recovery_lag>(-1), "");
  EXPECT_NE(error_with<&b::rack_aware_assignment_tags>(std::vector<std::string>{"a", "a"}), "");
  std::vector<std::string> tags{"a", "b", "c", "d", "e", "f", "g", "h"};
  EXPECT_EQ(error_with<&b::rack_aware_assignment_tags>(tags), "");
  tags.push_back("i");
  EXPECT_EQ(error_with<&b::rack_aware_assignment_tags>(tags),
            "group.streams.rack.aware.assignment.tags: names 9 tags; at most 8 are allowed");
  EXPECT_NE(error_with<&b::assignors>(std::vector<std::string>{}), "");
  EXPECT_NE(error_with<&b::assignors>(std::vector<std::string>{"sticky", "sticky"}), "");
}

TEST(broker_config, heartbeat_interval_must_be_below_session_timeout) {
  broker_config config;
  config.min_session_timeout_ms = config.session_timeout_ms = 5'000;
  EXPECT_FALSE(config.check());
}

TEST(overrides, values_rejected_by_ex_30) {
  const broker_config broker;
  const std::pair<const char*, const char*> rejected[] = {
      {"streams.heartbeat.interval.ms", "1000"},     {"streams.heartbeat.interval.ms", "60000"},
      {"streams.session.timeout.ms", "10000"},       {"streams.num.standby.replicas", "5"},
      {"streams.assignment.interval.ms", "20000"},   {"streams.task.offset.interval.ms", "100"},
      {"streams.num.warmup.replicas", "21"},         {"streams.assignor.name", "foo"},
      {"streams.rack.aware.assignment.tags", "a,a"}, {"streams.initial.rebalance.delay.ms", "-1"},
      {"streams.rack.aware.assignment.tags", "a,b,c,d,e,f,g,h,i"},
      {"streams.acceptable.recovery.lag", "-1"},     {"streams.assignor.offload.enable", "maybe"},
      {"streams.session.timeout.ms", "50000x"},      {"streams.unheard.of", "1"},
  };
  for (const auto& [name, value] : rejected) {
    const auto checked = check(overrides{{name, value}}, broker);
    ASSERT_FALSE(checked) << name << "=" << value;
    EXPECT_NE(checked.error().message.find(name), std::string::npos) << checked.error().message;
  }
}

TEST(overrides, a_valid_set_is_effective_and_shown) {
  const overrides set{{"streams.session.timeout.ms", "50000"},
                      {"streams.heartbeat.interval.ms", "6000"},
                      {"streams.num.standby.replicas", "1"},
                      {"streams.num.warmup.replicas", "0"},
                      {"streams.initial.rebalance.delay.ms", "0"},
                      {"streams.assignment.interval.ms", "0"},
                      {"streams.task.offset.interval.ms", "20000"},
                      {"streams.acceptable.recovery.lag", "7"},
                      {"streams.rack.aware.assignment.tags", "zone, cluster"},
                      {"streams.assignor.name", "sticky"},
                      {"streams.assignor.offload.enable", "false"}};
  ASSERT_TRUE(check(set, {}));
  const auto config = effective(set, {});
  EXPECT_EQ(config.session_timeout_ms, 50'000);
  EXPECT_EQ(config.heartbeat_interval_ms, 6'000);
  EXPECT_EQ(config.num_standby_replicas, 1);
  EXPECT_EQ(config.num_warmup_replicas, 0);
  EXPECT_EQ(config.initial_rebalance_delay_ms, 0);
  EXPECT_EQ(config.assignment_interval_ms, 0);
  EXPECT_EQ(config.task_offset_interval_ms, 20'000);
  EXPECT_EQ(config.acceptable_recovery_lag, 7);
  EXPECT_EQ(config.rack_aware_assignment_tags, (std::vector<std::string>{"zone", "cluster"}));
  EXPECT_EQ(config.assignor_name, "sticky");
  EXPECT_FALSE(config.assignor_offload_enable);
  EXPECT_EQ(value_text(config, "streams.rack.aware.assignment.tags"), "zone,cluster");
  EXPECT_EQ(value_text(config, "streams.acceptable.recovery.lag"), "7");
  EXPECT_EQ(value_text(config, "streams.assignor.offload.enable"), "false");
}

TEST(overrides, session_must_exceed_heartbeat_interval) {
  broker_config broker;
  broker.min_session_timeout_ms = 5'000;
  EXPECT_FALSE(check({{"streams.session.timeout.ms", "6000"}, {"streams.heartbeat.interval.ms", "7000"}}, broker));
  EXPECT_TRUE(check({{"streams.session.timeout.ms", "8000"}, {"streams.heartbeat.interval.ms", "7000"}}, broker));
}

TEST(overrides, stored_values_outside_newer_bounds_are_clamped) {
  broker_config broker;
  broker.max_standby_replicas = 1;
  broker.max_session_timeout_ms = 46'000;
  const auto config = effective({{"streams.num.standby.replicas", "2"},
                                 {"streams.session.timeout.ms", "60000"},
                                 {"streams.assignor.name", "gone"}},
                                broker);
  EXPECT_EQ(config.num_standby_replicas, 1);
  EXPECT_EQ(config.session_timeout_ms, 46'000);
  EXPECT_EQ(config.assignor_name, "sticky");
}

TEST(overrides, are_read_as_kafka_reads_text) {
  for (const auto* number : {"1", " 1 ", "+1", "\t1"}) {
    EXPECT_TRUE(check({{"streams.num.standby.replicas", number}}, {})) << number;
    EXPECT_EQ(effective({{"streams.num.standby.replicas", number}}, {}).num_standby_replicas, 1) << number;
  }
  for (const auto* wrong : {"", "+", "+-1", "1 1", "0x1", "1.0"}) {
    EXPECT_FALSE(check({{"streams.num.standby.replicas", wrong}}, {})) << wrong;
  }
  EXPECT_TRUE(effective({{"streams.assignor.offload.enable", " TRUE"}}, {}).assignor_offload_enable);
  EXPECT_FALSE(check({{"streams.assignor.offload.enable", "yes"}}, {}));
  EXPECT_TRUE(check({{"streams.assignor.name", " sticky\t"}}, {}));
  EXPECT_EQ(effective({{"streams.assignor.name", " sticky\t"}}, {}).assignor_name, "sticky");
  for (const auto* wrong : {"a,,b", ",a", "a, ", ","}) {
    EXPECT_FALSE(check({{"streams.rack.aware.assignment.tags", wrong}}, {})) << wrong;
  }
  for (const auto* tags : {"", " ", " a , b "}) {
    EXPECT_TRUE(check({{"streams.rack.aware.assignment.tags", tags}}, {})) << tags;
  }
}

TEST(overrides, the_assignor_is_the_brokers_first_unless_named) {  // 10.1
  broker_config broker;
  broker.assignors = {"other", "sticky"};
  EXPECT_EQ(effective({}, broker).assignor_name, "other");
  EXPECT_EQ(effective({{"streams.assignor.name", "sticky"}}, broker).assignor_name, "sticky");
}

TEST(overrides, keys_have_broker_names) {
  const auto keys = group_config_keys();
  EXPECT_EQ(keys.size(), 11U);
  const auto lists = std::ranges::count_if(keys, &group_config_key::is_list);
  EXPECT_EQ(lists, 1);
  EXPECT_EQ(keys.front().name, "streams.session.timeout.ms");
  EXPECT_EQ(keys.front().broker_name, "group.streams.session.timeout.ms");
}

TEST(group_config, matches_is_equality_of_the_recorded_configs) {
  group_config config;
  config.num_standby_replicas = 12;
  EXPECT_TRUE(config.matches(config.assignment_configs()));
  EXPECT_FALSE(config.matches({}));
  EXPECT_FALSE(config.matches({{"num.standby.replicas", "1"}}));
  auto tagged = config;
  tagged.rack_aware_assignment_tags = {"a", "bc"};
  EXPECT_EQ(tagged.assignment_configs().at("rack.aware.assignment.tags"), "a,bc");
  EXPECT_TRUE(tagged.matches(tagged.assignment_configs()));
  EXPECT_FALSE(tagged.matches(config.assignment_configs()));
  EXPECT_FALSE(config.matches(tagged.assignment_configs()));
  EXPECT_FALSE(tagged.matches({{"num.standby.replicas", "12"}, {"rack.aware.assignment.tags", "a,bcd"}}));
  EXPECT_FALSE(tagged.matches({{"num.standby.replicas", "12"}, {"rack.aware.assignment.tags", "a,b"}}));
}

TEST(defaults, stand_in_the_place_of_the_configuration_and_below_a_groups_own_settings) {
  broker_config configured;
  configured.num_standby_replicas = 2;
  configured.assignors = {"highly_available", "sticky"};
  const overrides set{{"streams.num.standby.replicas", "1"},
                      {"streams.assignor.name", "sticky"},
                      {"streams.heartbeat.interval.ms", "7000"},
                      {"streams.rack.aware.assignment.tags", "zone,host"}};
  ASSERT_TRUE(check(set, configured));
  const auto tuned = with_defaults(set, configured);
  EXPECT_TRUE(tuned.check());
  const auto inherited = effective({}, tuned);
  for (const auto& [name, value] : set) EXPECT_EQ(value_text(inherited, name), value) << name;
  EXPECT_EQ(inherited.session_timeout_ms, configured.session_timeout_ms) << "what is not tuned";
  EXPECT_EQ(tuned.assignors, (std::vector<std::string>{"sticky", "highly_available"})) << "none is lost";
  EXPECT_EQ(effective({{"streams.num.standby.replicas", "0"}}, tuned).num_standby_replicas, 0);
}

TEST(defaults, every_setting_of_a_group_can_be_one) {
  broker_config configured;
  configured.assignors = {"highly_available", "sticky"};
  const std::map<std::string_view, std::string> others{{"streams.session.timeout.ms", "50000"},
                                                       {"streams.rack.aware.assignment.tags", "zone"},
                                                       {"streams.assignor.name", "sticky"},
                                                       {"streams.assignor.offload.enable", "false"},
                                                       {"streams.task.offset.interval.ms", "20000"},
                                                       {"streams.heartbeat.interval.ms", "6000"}};
  for (const auto& key : group_config_keys()) {
    const auto other = others.find(key.name);
    const overrides set{{std::string(key.name), other == others.end() ? "1" : other->second}};
    ASSERT_TRUE(check(set, configured)) << key.name;
    EXPECT_EQ(value_text(effective({}, with_defaults(set, configured)), key.name), set.begin()->second) << key.name;
  }
}

TEST(defaults, out_of_bounds_that_have_changed_are_clamped) {
  broker_config configured;
  configured.max_standby_replicas = 1;
  EXPECT_EQ(with_defaults({{"streams.num.standby.replicas", "2"}}, configured).num_standby_replicas, 1);
}

TEST(defaults, differences_are_told_old_and_new) {
  const std::vector<field_change> wanted{{"a", "1", "none"}, {"b", "1", "2"}, {"d", "none", "4"}};
  EXPECT_EQ(differences({{"a", "1"}, {"b", "1"}, {"c", "3"}}, {{"b", "2"}, {"c", "3"}, {"d", "4"}}), wanted);
}

}  // namespace
}  // namespace weir::group
