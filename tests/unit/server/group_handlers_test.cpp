// The group APIs over the wire: what the front end decides, and what it passes to the coordinator. Spec 05, 4 and 6.
#include <gtest/gtest.h>
#include <algorithm>

#include "embedded_fixture.hpp"
#include "protocol/messages/delete_groups_request.hpp"
#include "protocol/messages/delete_groups_response.hpp"
#include "protocol/messages/describe_configs_request.hpp"
#include "protocol/messages/describe_configs_response.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_groups_response.hpp"
#include "protocol/messages/incremental_alter_configs_request.hpp"
#include "protocol/messages/incremental_alter_configs_response.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/list_groups_response.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "server/handlers/mentions.hpp"

namespace weir::server {
namespace {

using namespace weir::protocol;  // NOLINT: the messages of a dozen APIs
using testing::number;

class group_handlers_test : public testing::embedded_test {
 protected:
  static streams_group_heartbeat_request ordinary() {
    streams_group_heartbeat_request request;
    request.group_id = "app";
    request.member_id = "A";
    request.member_epoch = 3;
    return request;
  }
};

// ---- StreamsGroupHeartbeat ----

TEST_F(group_handlers_test, a_heartbeat_reaches_the_coordinator_with_who_asks) {
  coordinator.heartbeat_answer.member_epoch = 3;
  for (std::int16_t version = 0; version <= 1; ++version) {
    EXPECT_EQ(call<streams_group_heartbeat_response>(ordinary(), version).member_epoch, 3);
  }
  ASSERT_EQ(coordinator.heartbeats.size(), 2U);
  const auto& passed = coordinator.heartbeats[1];
  EXPECT_EQ(passed.request, ordinary());
  EXPECT_EQ(passed.context.version, 1);
  EXPECT_EQ(passed.context.client_id, "test");
  EXPECT_EQ(passed.context.client_host, "/127.0.0.1");
  coordinator.heartbeats.clear();
}

// ---- StreamsGroupDescribe (4.9) ----

TEST_F(group_handlers_test, s4_9_each_group_gets_its_own_answer) {
  coordinator.described["app"].group_id = "app";
  coordinator.described["app"].group_state = "Stable";
  streams_group_describe_request request;
  request.group_ids = {"nothing", "app", ""};
  request.include_authorized_operations = true;
  request.include_topology_description = true;
  const auto answer = call<streams_group_describe_response>(request, 1);
  ASSERT_EQ(answer.groups.size(), 3U);
  EXPECT_EQ(answer.groups[0].error_code, number(error_code::group_id_not_found));
  EXPECT_EQ(answer.groups[0].authorized_operations, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(answer.groups[1].error_code, 0);
  EXPECT_EQ(answer.groups[1].authorized_operations, 3400);
  EXPECT_EQ(answer.groups[1].topology_description_status, 1);
  EXPECT_EQ(answer.groups[2].error_code, number(error_code::invalid_group_id));
}

TEST_F(group_handlers_test, a_group_that_is_named_again_is_described_again_but_not_without_end) {
  constexpr std::size_t answered = 1 + handlers::repetitions_max;
  coordinator.described["app"].group_id = "app";
  streams_group_describe_request request;
  request.group_ids.assign(answered + 1, "app");
  const auto answer = call<streams_group_describe_response>(request, 1);
  ASSERT_EQ(answer.groups.size(), answered + 1);
  EXPECT_EQ(answer.groups[answered - 1].error_code, 0);
  EXPECT_EQ(answer.groups[answered].error_code, number(error_code::invalid_request));
  describe_groups_request classic;
  classic.groups = request.group_ids;
  const auto told = call<describe_groups_response>(classic, 6);
  ASSERT_EQ(told.groups.size(), answered + 1);
  EXPECT_EQ(told.groups[answered - 1].error_code, number(error_code::group_id_not_found));
  EXPECT_EQ(told.groups[answered].error_code, number(error_code::invalid_request));
}

TEST_F(group_handlers_test, more_names_than_one_answer_may_have_parts_end_the_connection) {
  describe_groups_request request;
  request.groups.resize(limits::names_per_request_max);
  EXPECT_EQ(call<describe_groups_response>(request, 6).groups.size(), request.groups.size());
  request.groups.emplace_back();
  connection().send(encode_request_frame(1, text("test"), request, 6));
  EXPECT_TRUE(connection().closed());
  EXPECT_EQ(server->stats().protocol_errors, 1U);
}

TEST_F(group_handlers_test, s4_9_nothing_is_told_that_was_not_asked_for) {
  coordinator.described["app"].group_id = "app";
  streams_group_describe_request request;
  request.group_ids = {"app"};
  const auto answer = call<streams_group_describe_response>(request, 0);
  EXPECT_EQ(answer.groups[0].authorized_operations, std::numeric_limits<std::int32_t>::min());
  request.group_ids.clear();
  EXPECT_TRUE(call<streams_group_describe_response>(request, 0).groups.empty());
}

// ---- ListGroups (4.8) ----

class list_groups_test : public group_handlers_test {
 protected:
  list_groups_test() {
    using group::group_kind;
    coordinator.groups = {row("stable", group_kind::streams, "Stable"),
                          row("not-ready", group_kind::streams, "NotReady"),
                          row("simple", group_kind::simple, "Empty")};
  }
  static group::group_summary row(const char* id, group::group_kind kind, std::string_view state) {
    group::group_summary made;
    made.id = id;
    made.kind = kind;
    made.state_name = state;
    if (kind == group::group_kind::streams) made.protocol_type = "streams";
    return made;
  }
  std::vector<std::string> list(std::vector<text> states, std::vector<text> types, std::int16_t version = 5) {
    list_groups_request request;
    request.states_filter = std::move(states);
    request.types_filter = std::move(types);
    std::vector<std::string> found;
    for (const auto& group : call<list_groups_response>(request, version).groups) found.push_back(group.group_id.str());
    return found;
  }
  using names = std::vector<std::string>;
};

TEST_F(list_groups_test, s4_8_streams_and_simple_groups_are_told_apart) {
  const auto answer = call<list_groups_response>(list_groups_request(), 5);
  ASSERT_EQ(answer.groups.size(), 3U);
  EXPECT_EQ(answer.groups[0].protocol_type, "streams");
  EXPECT_EQ(answer.groups[0].group_state, "Stable");
  EXPECT_EQ(answer.groups[0].group_type, "streams");
  EXPECT_EQ(answer.groups[2].protocol_type, "");
  EXPECT_EQ(answer.groups[2].group_type, "classic");
  for (std::int16_t version = 0; version <= 5; ++version) EXPECT_EQ(list({}, {}, version).size(), 3U);
}

TEST_F(list_groups_test, s4_8_states_are_trimmed_and_compared_without_case) {
  EXPECT_EQ(list({" sTABLE "}, {}), (names{"stable"}));
  EXPECT_EQ(list({"Stable", "Empty"}, {}), (names{"stable", "simple"}));
  EXPECT_EQ(list({"nonsense"}, {}), (names{}));
}

TEST_F(list_groups_test, s9_p2_both_spellings_of_not_ready_match_unless_kafka_is_reproduced) {
  EXPECT_EQ(list({"NotReady"}, {}), (names{"not-ready"}));
  EXPECT_EQ(list({"not_ready"}, {}), (names{"not-ready"}));
  coordinator.settings.strict_kafka = true;
  EXPECT_EQ(list({"NotReady"}, {}), (names{}));
  EXPECT_EQ(list({"not_ready"}, {}), (names{"not-ready"}));
}

TEST_F(list_groups_test, s4_8_types_are_not_trimmed_and_both_lists_must_match) {
  EXPECT_EQ(list({}, {"STREAMS"}), (names{"stable", "not-ready"}));
  EXPECT_EQ(list({}, {" streams"}), (names{}));
  EXPECT_EQ(list({"Stable"}, {"classic"}), (names{}));
  EXPECT_EQ(list({"Empty"}, {"classic", "share"}), (names{"simple"}));
}

// ---- DeleteGroups (4.6) ----

TEST_F(group_handlers_test, s4_6_each_group_is_deleted_by_itself) {
  coordinator.deletable = {{"empty", error_code::none}, {"live", error_code::non_empty_group}};
  delete_groups_request request;
  request.groups_names = {"empty", "live", "nothing"};
  for (std::int16_t version = 0; version <= 3; ++version) {
    const auto answer = call<delete_groups_response>(request, version);
    ASSERT_EQ(answer.results.size(), 3U);
    EXPECT_EQ(answer.results[0].error_code, 0);
    EXPECT_EQ(answer.results[1].error_code, number(error_code::non_empty_group));
    EXPECT_EQ(answer.results[2].error_code, number(error_code::group_id_not_found));
    EXPECT_EQ(answer.results[2].error_message.has_value(), version == 3);
  }
}

// ---- configurations (6) ----

class config_handlers_test : public group_handlers_test {
 protected:
  using alterable = incremental_alter_configs_request::alterable_config_data;
  std::int16_t alter(std::string_view name, std::vector<alterable> configs, std::int8_t type = 32,
                     bool validate_only = false) {
    incremental_alter_configs_request request;
    request.resources.push_back({.resource_type = type, .resource_name = text(name), .configs = std::move(configs)});
    request.validate_only = validate_only;
    const auto answer = call<incremental_alter_configs_response>(request, 1);
    message = answer.responses.at(0).error_message.value_or(text()).str();
    return answer.responses.at(0).error_code;
  }
  static alterable set(std::string_view name, std::string_view value) { return operation(name, 0, value); }
  static alterable operation(std::string_view name, std::int8_t kind, std::string_view value) {
    return {.name = text(name), .config_operation = kind, .value = text(value)};
  }
  describe_configs_response::describe_configs_result_data describe(std::int8_t type, std::string_view name,
                                                                   std::optional<std::vector<text>> keys = {}) {
    describe_configs_request request;
    request.resources.push_back(
        {.resource_type = type, .resource_name = text(name), .configuration_keys = std::move(keys)});
    request.include_synonyms = true;
    last = call<describe_configs_response>(request, 4);
    return last.results.at(0);
  }

  describe_configs_response last;
  std::string message;
};

TEST_F(config_handlers_test, s6_a_group_that_does_not_exist_may_be_configured) {
  EXPECT_EQ(alter("app", {set("streams.num.standby.replicas", "1")}), 0);
  EXPECT_EQ(coordinator.overrides["app"], (group::overrides{{"streams.num.standby.replicas", "1"}}));
  EXPECT_EQ(alter("app", {operation("streams.num.standby.replicas", 1, "")}), 0);
  EXPECT_TRUE(coordinator.overrides["app"].empty());
}

TEST_F(config_handlers_test, s6_validate_only_writes_nothing) {
  EXPECT_EQ(alter("app", {set("streams.num.standby.replicas", "1")}, 32, true), 0);
  EXPECT_TRUE(coordinator.overrides["app"].empty());
  EXPECT_EQ(alter("app", {set("streams.num.standby.replicas", "99")}, 32, true), number(error_code::invalid_config));
}

TEST_F(config_handlers_test, s6_what_is_refused) {
  const auto invalid_config = number(error_code::invalid_config);
  const auto invalid_request = number(error_code::invalid_request);
  EXPECT_EQ(alter("app", {set("streams.num.standby.replicas", "99")}), invalid_config);
  EXPECT_NE(message.find("streams.num.standby.replicas"), std::string::npos) << message;
  EXPECT_EQ(alter("app", {set("streams.num.standby.replicas", "many")}), invalid_config);
  EXPECT_EQ(alter("app", {set("streams.no.such.name", "1")}), invalid_config);
  EXPECT_EQ(alter("app", {operation("streams.no.such.name", 1, "")}), 0) << "as Kafka 4.4";
  EXPECT_EQ(alter("app", {operation("streams.num.standby.replicas", 2, "1")}), invalid_config);
  EXPECT_EQ(alter("app", {set("streams.assignor.name", "nobody")}), invalid_config);
  EXPECT_EQ(alter("", {set("streams.num.standby.replicas", "1")}), invalid_request);
  EXPECT_EQ(alter("app", {operation("streams.num.standby.replicas", 7, "1")}), invalid_request);
  EXPECT_EQ(alter("app", {set("streams.num.standby.replicas", "1"), set("streams.num.standby.replicas", "2")}),
            invalid_request);
  EXPECT_EQ(alter("1", {set("group.streams.max.size", "5")}, 4), invalid_request);
  EXPECT_TRUE(coordinator.overrides["app"].empty());
}

TEST_F(config_handlers_test, s6_lists_grow_and_shrink) {
  const std::string tags = "streams.rack.aware.assignment.tags";
  EXPECT_EQ(alter("app", {operation(tags, 2, "zone,cluster")}), 0);
  EXPECT_EQ(alter("app", {operation(tags, 2, "zone,host")}), 0);
  EXPECT_EQ(coordinator.overrides["app"][tags], "zone,cluster,host");
  EXPECT_EQ(alter("app", {operation(tags, 3, "cluster")}), 0);
  EXPECT_EQ(coordinator.overrides["app"][tags], "zone,host");
}

TEST_F(config_handlers_test, s6_describe_tells_where_a_group_value_comes_from) {
  coordinator.overrides["app"] = {{"streams.num.standby.replicas", "1"}};
  const auto answer = describe(32, "app", std::vector<text>{"streams.num.standby.replicas"});
  EXPECT_EQ(answer.error_code, 0);
  ASSERT_EQ(answer.configs.size(), 1U);
  const auto& config = answer.configs[0];
  EXPECT_EQ(config.value, text("1"));
  EXPECT_EQ(config.config_source, 8);
  EXPECT_EQ(config.config_type, 3);
  ASSERT_EQ(config.synonyms.size(), 2U);
  EXPECT_EQ(config.synonyms[0].name, "streams.num.standby.replicas");
  EXPECT_EQ(config.synonyms[1].name, "group.streams.num.standby.replicas");
  EXPECT_EQ(config.synonyms[1].value, text("0"));
  EXPECT_EQ(config.synonyms[1].source, 5);
}

TEST_F(config_handlers_test, defaults_tuned_at_run_time_are_dynamic_defaults_of_the_broker) {
  coordinator.tuned = {{"streams.num.standby.replicas", "2"}};
  const auto of_group = describe(32, "app", std::vector<text>{"streams.num.standby.replicas"});
  ASSERT_EQ(of_group.configs.size(), 1U);
  EXPECT_EQ(of_group.configs[0].value, text("2"));
  EXPECT_EQ(of_group.configs[0].config_source, 3);
  ASSERT_EQ(of_group.configs[0].synonyms.size(), 2U);
  EXPECT_EQ(of_group.configs[0].synonyms[0].name, "group.streams.num.standby.replicas");
  EXPECT_EQ(of_group.configs[0].synonyms[0].source, 3);
  const auto of_broker = describe(4, "1", std::vector<text>{"group.streams.num.standby.replicas"});
  ASSERT_EQ(of_broker.configs.size(), 1U);
  EXPECT_EQ(of_broker.configs[0].value, text("2"));
  EXPECT_EQ(of_broker.configs[0].config_source, 3);
}

TEST_F(config_handlers_test, numbers_are_described_by_their_value_and_flags_as_they_were_set) {
  EXPECT_EQ(alter("app", {set("streams.num.standby.replicas", " +1"),
                          set("streams.assignor.offload.enable", " TRUE")}), 0);
  const std::vector<text> keys{"streams.num.standby.replicas", "streams.assignor.offload.enable"};
  const auto shown = describe(32, "app", keys);
  ASSERT_EQ(shown.configs.size(), 2U);
  EXPECT_EQ(shown.configs[0].value, text("1"));
  EXPECT_EQ(shown.configs[1].value, text(" TRUE"));
  EXPECT_EQ(shown.configs[1].synonyms.at(0).value, text(" TRUE"));
  EXPECT_EQ(shown.configs[1].synonyms.at(1).value, text("true"));
}

TEST_F(config_handlers_test, s9_p7_describe_lists_every_group_setting) {
  const auto answer = describe(32, "app");
  const auto keys = group::group_config_keys();
  const auto listed = std::ranges::count_if(keys, &group::group_config_key::is_listed);
  EXPECT_EQ(std::ssize(answer.configs), listed);
  EXPECT_LT(listed, std::ssize(keys)) << "streams.assignor.offload.enable, as at a 4.4 broker";
  for (const auto& config : answer.configs) EXPECT_EQ(config.config_source, 5) << config.name;
  EXPECT_EQ(describe(32, "").error_code, number(error_code::invalid_request));
}

TEST_F(config_handlers_test, topics_are_described_and_altered) {
  make_topic("orders", 1, {{"retention.ms", "1000"}});
  EXPECT_EQ(alter("orders", {set("cleanup.policy", "compact"), operation("retention.ms", 1, "")}, 2), 0);
  EXPECT_EQ(topics->configs("orders"), (config_map{{"cleanup.policy", "compact"}}));
  EXPECT_EQ(alter("orders", {operation("cleanup.policy", 2, "delete")}, 2), 0);
  const auto answer = describe(2, "orders", std::vector<text>{"cleanup.policy", "retention.ms"});
  ASSERT_EQ(answer.configs.size(), 2U);
  EXPECT_EQ(answer.configs[0].value, text("compact,delete"));
  EXPECT_EQ(answer.configs[0].config_source, 1);
  EXPECT_EQ(answer.configs[1].value, text("604800000"));
  EXPECT_EQ(answer.configs[1].config_source, 5);
  EXPECT_EQ(describe(2, "nothing").error_code, number(error_code::unknown_topic_or_partition));
  EXPECT_EQ(alter("nothing", {set("cleanup.policy", "compact")}, 2), number(error_code::unknown_topic_or_partition));
  EXPECT_EQ(alter("orders", {set("no.such.name", "x")}, 2), number(error_code::invalid_config));
  EXPECT_EQ(alter("orders", {set("segment.bytes", "14")}, 2), number(error_code::invalid_config));
  EXPECT_EQ(alter("orders", {operation("cleanup.policy", 2, "none")}, 2), number(error_code::invalid_config));
  EXPECT_FALSE(topics->configs("orders")->contains("segment.bytes"));
}

TEST_F(config_handlers_test, the_broker_tells_its_group_settings) {
  coordinator.settings.broker.num_standby_replicas = 1;
  const auto answer = describe(4, "1");
  const auto standbys = std::ranges::find(answer.configs, "group.streams.num.standby.replicas",
                                          [](const auto& config) { return config.name.view(); });
  ASSERT_NE(standbys, answer.configs.end());
  EXPECT_EQ(standbys->value, text("1"));
  EXPECT_EQ(standbys->config_source, 4);
  EXPECT_TRUE(standbys->read_only);
  EXPECT_EQ(describe(4, "7").error_code, number(error_code::invalid_request));
  EXPECT_EQ(describe(4, "").error_code, 0);
  EXPECT_EQ(describe(16, "x").error_code, number(error_code::invalid_request));
}

}  // namespace
}  // namespace weir::server
