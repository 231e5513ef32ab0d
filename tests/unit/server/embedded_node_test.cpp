// The whole embedded node in one process, real coordinator included: joins, internal topics, offsets, a restart.
#include <gtest/gtest.h>

#include <future>
#include <memory>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "protocol/messages/delete_groups_request.hpp"
#include "protocol/messages/delete_groups_response.hpp"
#include "protocol/messages/incremental_alter_configs_request.hpp"
#include "protocol/messages/incremental_alter_configs_response.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/list_groups_response.hpp"
#include "protocol/messages/offset_commit_request.hpp"
#include "protocol/messages/offset_commit_response.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/offset_fetch_response.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"
#include "server/embedded.hpp"
#include "server/server.hpp"
#include "storage/memory_log.hpp"
#include "tests/unit/server/client.hpp"

namespace weir::server {
namespace {

using namespace weir::protocol;  // NOLINT: the messages of several APIs
using heartbeat_request = streams_group_heartbeat_request;
using heartbeat_response = streams_group_heartbeat_response;

class embedded_node_test : public ::testing::Test {
 protected:
  void SetUp() override { start(); }
  void TearDown() override { stop(); }

  void start() {
    actors::coordinator_options options;
    options.broker.initial_rebalance_delay_ms = 0;
    options.broker.assignment_interval_ms = 0;
    topics = *catalogue::open({}, log, random, time);
    auto started = actors::coordinator::start(options, log, *topics, time, topics->current());
    ASSERT_TRUE(started) << started.error().message;
    coordinator = std::move(*started);
    topics->publish_to(*coordinator);
    producers = *transactions::open(log, time);
    sessions = make_embedded_sessions({*coordinator, *topics, *producers}, time,
                                      {.node_id = 1, .advertised = {{"127.0.0.1", 0}}, .rack = {}});
    server = *kafka_server::start({.listeners = {{"127.0.0.1", 0}}, .io_threads = 2, .limits = {}}, *sessions);
    connection = std::make_unique<testing::client>(server->port());
  }
  void stop() {
    connection.reset();
    server->stop(5'000);
    topics->stop_publishing();
    coordinator->stop(5'000);
    server.reset();
    sessions.reset();
    coordinator.reset();
    topics.reset();
  }

  template <class Response, class Request>
  Response call(const Request& request, std::int16_t version) {
    return connection->call<Response>(request, version);
  }
  heartbeat_response beat(const heartbeat_request& request) { return call<heartbeat_response>(request, 1); }
  void make_topic(const std::string& name, std::int32_t partitions) {
    std::promise<bool> made;
    topics->create({.name = name, .partitions = partitions, .replication_factor = 1, .configs = {}, .racks = {}}, false,
                   [&](const auto& created) { made.set_value(created.has_value()); });
    ASSERT_TRUE(made.get_future().get());
  }
  /// An application that reads `in` and keeps state in a changelog.
  static heartbeat_request join(std::string_view member, std::int16_t changelog_replicas = 1) {
    heartbeat_request out;
    out.group_id = "app";
    out.member_id = text(member);
    out.member_epoch = 0;
    out.rebalance_timeout_ms = 60'000;
    out.process_id = text(member);
    auto& topology = out.topology.emplace();
    auto& subtopology = topology.subtopologies.emplace_back();
    subtopology.subtopology_id = "0";
    subtopology.source_topics = {"in"};
    auto& changelog = subtopology.state_changelog_topics.emplace_back();
    changelog.name = "app-store-changelog";
    changelog.replication_factor = changelog_replicas;
    out.active_tasks.emplace();
    out.standby_tasks.emplace();
    out.warmup_tasks.emplace();
    return out;
  }
  /// An ordinary heartbeat that acknowledges what the answer assigned.
  static heartbeat_request next(const heartbeat_request& before, const heartbeat_response& answer) {
    heartbeat_request out = before;
    out.topology.reset();
    out.member_epoch = answer.member_epoch;
    if (!answer.active_tasks) return out;
    out.active_tasks.emplace();
    for (const auto& task : *answer.active_tasks) {
      auto& owned = out.active_tasks->emplace_back();
      owned.subtopology_id = text(task.subtopology_id.view());
      owned.partitions = task.partitions;
    }
    return out;
  }
  static std::string status(const heartbeat_response& answer, std::int8_t code) {
    if (!answer.status) return {};
    for (const auto& each : *answer.status) {
      if (each.status_code == code) return each.status_detail.str();
    }
    return {};
  }
  static std::size_t active_tasks(const heartbeat_request& owned) {
    std::size_t count = 0;
    for (const auto& task : *owned.active_tasks) count += task.partitions.size();
    return count;
  }
  /// Joins and heartbeats until it owns that many tasks.
  heartbeat_request settle(std::string_view member, std::size_t tasks) {
    auto current = join(member);
    for (int i = 0; i < 100; ++i) {
      const auto answer = beat(current);
      EXPECT_EQ(answer.error_code, 0) << answer.error_message.value_or(text());
      current = next(current, answer);
      if (active_tasks(current) == tasks) break;
    }
    EXPECT_EQ(active_tasks(current), tasks);
    return next(current, beat(current));
  }

  storage::memory_log log;
  system_random random;
  manual_clock time;
  std::unique_ptr<catalogue> topics;
  std::unique_ptr<actors::coordinator> coordinator;
  std::unique_ptr<transactions> producers;
  std::unique_ptr<session_factory> sessions;
  std::unique_ptr<kafka_server> server;
  std::unique_ptr<testing::client> connection;
};

TEST_F(embedded_node_test, rc05_internal_topics_are_reported_created_and_then_assigned) {
  make_topic("in", 4);
  const auto first = beat(join("A"));
  EXPECT_EQ(first.error_code, 0);
  EXPECT_NE(status(first, 3).find("app-store-changelog"), std::string::npos);
  settle("A", 4);
  const auto image = topics->current();
  ASSERT_NE(image->find("app-store-changelog"), nullptr);
  EXPECT_EQ(image->find("app-store-changelog")->partition_count(), 4);
}

TEST_F(embedded_node_test, ex_19_a_creation_that_fails_is_told_by_the_next_heartbeat) {
  make_topic("in", 2);
  const auto first = beat(join("A", 5));
  EXPECT_EQ(first.error_code, 0);
  EXPECT_NE(status(first, 3).find("app-store-changelog"), std::string::npos);
  EXPECT_EQ(status(first, 3).find("cannot be reached"), std::string::npos) << status(first, 3);
  const auto second = beat(next(join("A", 5), first));
  EXPECT_EQ(second.error_code, 0);
  EXPECT_EQ(second.member_epoch, 2);
  EXPECT_NE(status(second, 3).find("cannot be reached"), std::string::npos) << status(second, 3);
}

TEST_F(embedded_node_test, s1_4_and_1_5_a_malformed_heartbeat_is_refused_with_text) {
  auto blank = join("A");
  blank.member_id = " ";
  const auto refused = beat(blank);
  EXPECT_EQ(refused.error_code, code_of(error_code::invalid_request));
  EXPECT_TRUE(refused.error_message);
  auto internal = join("A");
  internal.topology->subtopologies[0].source_topics = {"__consumer_offsets"};
  EXPECT_EQ(beat(internal).error_code, code_of(error_code::streams_invalid_topology));
  auto longer = join("A");
  longer.group_id = text(std::string(250, 'g'));
  EXPECT_EQ(beat(longer).error_code, code_of(error_code::invalid_request));
}

TEST_F(embedded_node_test, a_restart_changes_nothing_for_the_member) {
  make_topic("in", 4);
  const auto steady = settle("A", 4);
  stop();
  start();
  const auto answer = beat(steady);
  EXPECT_EQ(answer.error_code, 0);
  EXPECT_EQ(answer.member_epoch, steady.member_epoch);
}

TEST_F(embedded_node_test, offsets_committed_by_a_member_are_read_back_after_a_restart) {
  make_topic("in", 4);
  const auto steady = settle("A", 4);
  offset_commit_request commit;
  commit.group_id = "app";
  commit.member_id = "A";
  commit.generation_id_or_member_epoch = steady.member_epoch;
  auto& topic = commit.topics.emplace_back();
  topic.name = "in";
  topic.partitions.push_back({.partition_index = 1, .committed_offset = 42});
  EXPECT_EQ(call<offset_commit_response>(commit, 9).topics[0].partitions[0].error_code, 0);
  commit.generation_id_or_member_epoch = steady.member_epoch + 1;
  EXPECT_EQ(call<offset_commit_response>(commit, 9).topics[0].partitions[0].error_code,
            code_of(error_code::stale_member_epoch));
  stop();
  start();
  offset_fetch_request fetch;
  fetch.groups.emplace_back();
  fetch.groups[0].group_id = "app";
  fetch.groups[0].topics.reset();
  const auto answer = call<offset_fetch_response>(fetch, 9);
  ASSERT_EQ(answer.groups.at(0).topics.size(), 1U);
  EXPECT_EQ(answer.groups[0].topics[0].partitions.at(0).committed_offset, 42);
}

TEST_F(embedded_node_test, a_group_is_listed_described_refused_deletion_while_live_and_deleted_when_empty) {
  make_topic("in", 4);
  const auto steady = settle("A", 4);
  const auto listed = call<list_groups_response>(list_groups_request(), 5);
  ASSERT_EQ(listed.groups.size(), 1U);
  EXPECT_EQ(listed.groups[0].group_state, "Stable");
  streams_group_describe_request describe;
  describe.group_ids = {"app"};
  const auto described = call<streams_group_describe_response>(describe, 1);
  EXPECT_EQ(described.groups.at(0).members.at(0).client_host, "/127.0.0.1");
  EXPECT_EQ(described.groups.at(0).members.at(0).client_id, "test");
  delete_groups_request remove;
  remove.groups_names = {"app"};
  EXPECT_EQ(call<delete_groups_response>(remove, 2).results[0].error_code, code_of(error_code::non_empty_group));
  auto leave = steady;
  leave.member_epoch = -1;
  EXPECT_EQ(beat(leave).error_code, 0);
  EXPECT_EQ(call<delete_groups_response>(remove, 2).results[0].error_code, 0);
  EXPECT_TRUE(call<list_groups_response>(list_groups_request(), 5).groups.empty());
}

TEST_F(embedded_node_test, s6_the_heartbeat_interval_of_a_group_is_in_its_next_answer) {
  make_topic("in", 4);
  const auto steady = settle("A", 4);
  incremental_alter_configs_request alter;
  auto& resource = alter.resources.emplace_back();
  resource.resource_type = 32;
  resource.resource_name = "app";
  resource.configs.push_back({.name = "streams.heartbeat.interval.ms", .config_operation = 0, .value = text("7000")});
  EXPECT_EQ(call<incremental_alter_configs_response>(alter, 1).responses[0].error_code, 0);
  EXPECT_EQ(beat(steady).heartbeat_interval_ms, 7'000);
}

TEST_F(embedded_node_test, a_failed_write_is_answered_with_an_error_to_retry_and_leaves_nothing) {
  make_topic("in", 4);
  settle("A", 4);
  log.fail_next(1, "disk full");
  const auto failed = beat(join("B"));
  EXPECT_TRUE(retriable(static_cast<error_code>(failed.error_code))) << failed.error_code;
  const auto again = beat(join("B"));
  EXPECT_EQ(again.error_code, 0) << again.error_message.value_or(text());
}

}  // namespace
}  // namespace weir::server
