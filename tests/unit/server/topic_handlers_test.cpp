// Metadata, DescribeCluster, FindCoordinator, and the APIs that change topics, over the wire.
#include <gtest/gtest.h>

#include "embedded_fixture.hpp"
#include "protocol/messages/create_partitions_request.hpp"
#include "protocol/messages/create_partitions_response.hpp"
#include "protocol/messages/create_topics_request.hpp"
#include "protocol/messages/create_topics_response.hpp"
#include "protocol/messages/delete_topics_request.hpp"
#include "protocol/messages/delete_topics_response.hpp"
#include "protocol/messages/describe_cluster_request.hpp"
#include "protocol/messages/describe_cluster_response.hpp"
#include "protocol/messages/describe_topic_partitions_request.hpp"
#include "protocol/messages/describe_topic_partitions_response.hpp"
#include "protocol/messages/find_coordinator_request.hpp"
#include "protocol/messages/find_coordinator_response.hpp"
#include "protocol/messages/metadata_request.hpp"
#include "protocol/messages/metadata_response.hpp"
#include "protocol/messages/sasl_authenticate_request.hpp"
#include "protocol/messages/sasl_authenticate_response.hpp"
#include "protocol/messages/sasl_handshake_request.hpp"
#include "protocol/messages/sasl_handshake_response.hpp"

namespace weir::server {
namespace {

using namespace weir::protocol;  // NOLINT: the messages of a dozen APIs
using testing::number;
using weir::uuid;

class topic_handlers_test : public testing::embedded_test {
 protected:
  metadata_response metadata(std::vector<std::string> names, std::int16_t version) {
    metadata_request request;
    request.topics.emplace();
    for (const auto& name : names) request.topics->push_back({.topic_id = {}, .name = text(name)});
    return call<metadata_response>(request, version);
  }
  create_topics_response create(create_topics_request::creatable_topic_data topic, bool validate_only = false) {
    create_topics_request request;
    request.topics.push_back(std::move(topic));
    request.validate_only = validate_only;
    return call<create_topics_response>(request, 7);
  }
  static create_topics_request::creatable_topic_data named(std::string_view name, std::int32_t partitions,
                                                           std::int16_t replicas = 1) {
    create_topics_request::creatable_topic_data out;
    out.name = text(name);
    out.num_partitions = partitions;
    out.replication_factor = replicas;
    return out;
  }
};

TEST_F(topic_handlers_test, metadata_names_this_node_as_the_whole_cluster_in_every_version) {
  make_topic("orders", 3);
  for (std::int16_t version = 0; version <= 13; ++version) {
    const auto answer = metadata({"orders"}, version);
    ASSERT_EQ(answer.brokers.size(), 1U) << version;
    EXPECT_EQ(answer.brokers[0].node_id, 1);
    EXPECT_EQ(answer.brokers[0].host, "weir.example");
    EXPECT_EQ(answer.brokers[0].port, server->port());
    ASSERT_EQ(answer.topics.size(), 1U);
    EXPECT_EQ(answer.topics[0].error_code, 0);
    ASSERT_EQ(answer.topics[0].partitions.size(), 3U);
    EXPECT_EQ(answer.topics[0].partitions[2].partition_index, 2);
    EXPECT_EQ(answer.topics[0].partitions[2].leader_id, 1);
  }
}

TEST_F(topic_handlers_test, metadata_of_all_topics_is_null_or_in_version_0_an_empty_list) {
  make_topic("orders", 1);
  make_topic("payments", 1);
  EXPECT_EQ(metadata({}, 0).topics.size(), 2U);
  EXPECT_EQ(metadata({}, 1).topics.size(), 0U);
  metadata_request all;
  all.topics.reset();
  EXPECT_EQ(call<metadata_response>(all, 1).topics.size(), 2U);
  EXPECT_EQ(call<metadata_response>(all, 13).topics.size(), 2U);
}

TEST_F(topic_handlers_test, metadata_of_a_topic_that_is_named_again_is_told_once) {
  make_topic("words", 2);
  metadata_request request;
  request.topics.emplace(3);
  for (auto& topic : *request.topics) topic.name = text("words");
  EXPECT_EQ(call<metadata_response>(request, 12).topics.size(), 1U);
}

TEST_F(topic_handlers_test, metadata_creates_nothing_and_says_what_is_wrong) {
  const auto answer = metadata({"nothing", "bad name"}, 12);
  ASSERT_EQ(answer.topics.size(), 2U);
  EXPECT_EQ(answer.topics[0].error_code, number(error_code::unknown_topic_or_partition));
  EXPECT_EQ(answer.topics[1].error_code, number(error_code::invalid_topic_exception));
  EXPECT_TRUE(topics->current()->topics().empty());
}

TEST_F(topic_handlers_test, metadata_finds_topics_by_id_from_version_12_on) {
  const auto id = make_topic("orders", 1);
  metadata_request request;
  request.topics.emplace();
  request.topics->push_back({.topic_id = id, .name = std::nullopt});
  request.topics->push_back({.topic_id = uuid{1, 2}, .name = std::nullopt});
  const auto answer = call<metadata_response>(request, 12);
  ASSERT_EQ(answer.topics.size(), 2U);
  EXPECT_EQ(answer.topics[0].name, "orders");
  EXPECT_EQ(answer.topics[1].error_code, number(error_code::unknown_topic_id));
  EXPECT_EQ(answer.topics[1].topic_id, (uuid{1, 2}));
  EXPECT_FALSE(answer.topics[1].name);
}

TEST_F(topic_handlers_test, describe_cluster_answers_brokers_and_refuses_controllers) {
  describe_cluster_request request;
  const auto answer = call<describe_cluster_response>(request, 2);
  EXPECT_EQ(answer.cluster_id, topics->cluster_id());
  EXPECT_EQ(answer.controller_id, 1);
  ASSERT_EQ(answer.brokers.size(), 1U);
  EXPECT_EQ(answer.brokers[0].port, server->port());
  request.endpoint_type = 2;
  EXPECT_EQ(call<describe_cluster_response>(request, 2).error_code, number(error_code::mismatched_endpoint_type));
  request.endpoint_type = 9;
  EXPECT_EQ(call<describe_cluster_response>(request, 1).error_code, number(error_code::unsupported_endpoint_type));
}

TEST_F(topic_handlers_test, s5_this_node_coordinates_groups_and_transactions) {
  find_coordinator_request old;
  old.key = "app";
  for (std::int16_t version = 0; version <= 3; ++version) {
    const auto answer = call<find_coordinator_response>(old, version);
    EXPECT_EQ(answer.node_id, 1);
    EXPECT_EQ(answer.port, server->port());
    if (version > 0) {
      EXPECT_EQ(answer.error_message, text("NONE"));
    }
  }
  find_coordinator_request batch;
  batch.coordinator_keys = {"app", ""};
  for (std::int16_t version = 4; version <= 6; ++version) {
    const auto answer = call<find_coordinator_response>(batch, version);
    ASSERT_EQ(answer.coordinators.size(), 2U);
    EXPECT_EQ(answer.coordinators[1].key, "");
    EXPECT_EQ(answer.coordinators[1].node_id, 1);
    EXPECT_EQ(answer.coordinators[1].error_message, text(""));
  }
  batch.coordinator_keys.clear();
  EXPECT_TRUE(call<find_coordinator_response>(batch, 4).coordinators.empty());
}

TEST_F(topic_handlers_test, s5_share_keys_and_unknown_key_types) {
  find_coordinator_request request;
  request.key_type = 2;
  request.coordinator_keys = {"bad", "h3-g:3cYvHXw3R3qMefc_atZFUQ:0"};
  const auto six = call<find_coordinator_response>(request, 6);
  EXPECT_EQ(six.coordinators[0].error_code, number(error_code::invalid_request));
  EXPECT_EQ(six.coordinators[0].node_id, -1);
  EXPECT_EQ(six.coordinators[1].error_code, number(error_code::coordinator_not_available));
  const auto code = [&](std::int16_t version) {
    return call<find_coordinator_response>(request, version).coordinators.at(1).error_code;
  };
  EXPECT_EQ(code(5), number(error_code::invalid_request));
  request.key_type = 7;
  EXPECT_EQ(code(6), number(error_code::invalid_request));
}

TEST_F(topic_handlers_test, create_topics_answers_what_was_made) {
  auto topic = named("orders", 4);
  topic.configs.push_back({.name = "retention.ms", .value = text("1000")});
  const auto answer = create(topic);
  ASSERT_EQ(answer.topics.size(), 1U);
  const auto& made = answer.topics[0];
  EXPECT_EQ(made.error_code, 0);
  EXPECT_FALSE(made.error_message);
  EXPECT_EQ(made.topic_id, topics->current()->find("orders")->id);
  EXPECT_EQ(made.num_partitions, 4);
  EXPECT_EQ(made.replication_factor, 1);
  ASSERT_TRUE(made.configs);
  const auto retention = std::ranges::find(*made.configs, "retention.ms", [](const auto& c) { return c.name.view(); });
  ASSERT_NE(retention, made.configs->end());
  EXPECT_EQ(retention->value, text("1000"));
  EXPECT_EQ(retention->config_source, 1);
}

TEST_F(topic_handlers_test, create_topics_of_every_version) {
  for (std::int16_t version = 2; version <= 7; ++version) {
    create_topics_request request;
    request.topics.push_back(named("topic-" + std::to_string(version), 1));
    const auto answer = call<create_topics_response>(request, version);
    EXPECT_EQ(answer.topics.at(0).error_code, 0) << version;
  }
  EXPECT_EQ(topics->current()->topics().size(), 6U);
}

TEST_F(topic_handlers_test, create_topics_judges_each_topic_by_itself) {
  create_topics_request request;
  request.topics = {named("twice", 1), named("good", 1), named("twice", 1), named("five", 1, 5)};
  const auto answer = call<create_topics_response>(request, 7);
  std::map<std::string, std::int16_t> codes;
  for (const auto& topic : answer.topics) codes[topic.name.str()] = topic.error_code;
  EXPECT_EQ(codes, (std::map<std::string, std::int16_t>{{"twice", 42}, {"good", 0}, {"five", 38}}));
}

TEST_F(topic_handlers_test, create_topics_with_replicas_by_hand) {
  auto topic = named("by-hand", -1, -1);
  topic.assignments = {{.partition_index = 0, .broker_ids = {1}}, {.partition_index = 1, .broker_ids = {1}}};
  EXPECT_EQ(create(topic).topics[0].num_partitions, 2);
  topic.name = "gap";
  topic.assignments[1].partition_index = 3;
  EXPECT_EQ(create(topic).topics[0].error_code, number(error_code::invalid_replica_assignment));
  topic.assignments = {{.partition_index = 0, .broker_ids = {2}}};
  EXPECT_EQ(create(topic).topics[0].error_code, number(error_code::invalid_replica_assignment));
  topic.num_partitions = 1;
  EXPECT_EQ(create(topic).topics[0].error_code, number(error_code::invalid_request));
}

TEST_F(topic_handlers_test, create_topics_validate_only_makes_nothing) {
  EXPECT_EQ(create(named("orders", 1), true).topics[0].error_code, 0);
  EXPECT_EQ(topics->current()->find("orders"), nullptr);
}

TEST_F(topic_handlers_test, delete_topics_by_name_and_by_id) {
  make_topic("one", 1);
  const auto two = make_topic("two", 1);
  delete_topics_request names;
  names.topic_names = {"one", "nothing"};
  const auto by_name = call<delete_topics_response>(names, 5);
  EXPECT_EQ(by_name.responses[0].error_code, 0);
  EXPECT_EQ(by_name.responses[1].error_code, number(error_code::unknown_topic_or_partition));
  delete_topics_request ids;
  ids.topics = {{.name = std::nullopt, .topic_id = two},
                {.name = std::nullopt, .topic_id = uuid{9, 9}},
                {.name = text("two"), .topic_id = two},
                {.name = std::nullopt, .topic_id = {}}};
  const auto by_id = call<delete_topics_response>(ids, 6);
  EXPECT_EQ(by_id.responses[0].error_code, 0);
  EXPECT_EQ(by_id.responses[0].name, text("two"));
  EXPECT_EQ(by_id.responses[1].error_code, number(error_code::unknown_topic_id));
  EXPECT_EQ(by_id.responses[2].error_code, number(error_code::invalid_request));
  EXPECT_EQ(by_id.responses[3].error_code, number(error_code::invalid_request));
  EXPECT_TRUE(topics->current()->topics().empty());
}

TEST_F(topic_handlers_test, create_partitions_grows_topics) {
  make_topic("orders", 2);
  create_partitions_request request;
  request.topics = {{.name = "orders", .count = 5, .assignments = std::nullopt},
                    {.name = "nothing", .count = 5, .assignments = std::nullopt}};
  for (std::int16_t version = 0; version <= 3; ++version) {
    request.topics[0].count = 5 + version;
    const auto answer = call<create_partitions_response>(request, version);
    EXPECT_EQ(answer.results[0].error_code, 0);
    EXPECT_EQ(answer.results[1].error_code, number(error_code::unknown_topic_or_partition));
  }
  EXPECT_EQ(topics->current()->find("orders")->partition_count(), 8);
  request.topics = {{.name = "orders", .count = 3, .assignments = std::nullopt}};
  EXPECT_EQ(call<create_partitions_response>(request, 3).results[0].error_code, number(error_code::invalid_partitions));
}

TEST_F(topic_handlers_test, create_partitions_with_replicas_by_hand) {
  make_topic("orders", 2);
  create_partitions_request request;
  request.topics = {{.name = "orders", .count = 4, .assignments = {{{.broker_ids = {1}}}}}};
  EXPECT_EQ(call<create_partitions_response>(request, 3).results[0].error_code,
            number(error_code::invalid_replica_assignment));
  request.topics[0].assignments->push_back({.broker_ids = {1}});
  EXPECT_EQ(call<create_partitions_response>(request, 3).results[0].error_code, 0);
  request.topics.push_back(request.topics[0]);
  const auto twice = call<create_partitions_response>(request, 3);
  ASSERT_EQ(twice.results.size(), 1U);
  EXPECT_EQ(twice.results[0].error_code, number(error_code::invalid_request));
}

TEST_F(topic_handlers_test, describe_topic_partitions_goes_page_by_page) {
  make_topic("a", 3);
  make_topic("b", 2);
  describe_topic_partitions_request request;
  request.response_partition_limit = 2;
  std::vector<std::string> seen;
  for (int page = 0; page < 10; ++page) {
    const auto answer = call<describe_topic_partitions_response>(request, 0);
    for (const auto& topic : answer.topics) {
      for (const auto& partition : topic.partitions) {
        seen.push_back(topic.name->str() + std::to_string(partition.partition_index));
      }
    }
    if (!answer.next_cursor) break;
    request.cursor.emplace();
    request.cursor->topic_name = text(answer.next_cursor->topic_name.view());
    request.cursor->partition_index = answer.next_cursor->partition_index;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"a0", "a1", "a2", "b0", "b1"}));
}

TEST_F(topic_handlers_test, describe_topic_partitions_of_unknown_topics) {
  describe_topic_partitions_request request;
  request.topics = {{.name = "nothing"}};
  EXPECT_EQ(call<describe_topic_partitions_response>(request, 0).topics[0].error_code,
            number(error_code::unknown_topic_or_partition));
}

TEST_F(topic_handlers_test, s1_2_sasl_on_a_plaintext_listener_is_an_illegal_state) {
  sasl_handshake_request handshake;
  handshake.mechanism = "PLAIN";
  EXPECT_EQ(call<sasl_handshake_response>(handshake, 1).error_code, number(error_code::illegal_sasl_state));
  EXPECT_EQ(call<sasl_authenticate_response>(sasl_authenticate_request(), 2).error_code,
            number(error_code::illegal_sasl_state));
}

}  // namespace
}  // namespace weir::server
