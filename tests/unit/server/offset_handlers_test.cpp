// OffsetCommit and OffsetFetch over the wire: topics, versions and layouts here, members at the coordinator. Spec 05,
// 4.2 and 4.3.
#include <gtest/gtest.h>

#include "embedded_fixture.hpp"
#include "protocol/messages/offset_commit_request.hpp"
#include "protocol/messages/offset_commit_response.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/offset_fetch_response.hpp"
#include "server/handlers/mentions.hpp"

namespace weir::server {
namespace {

using namespace weir::protocol;  // NOLINT: the messages of both APIs
using testing::number;
using weir::uuid;

class offset_handlers_test : public testing::embedded_test {
 protected:
  offset_handlers_test() { id = make_topic("in", 2); }

  static offset_commit_request commit_of(std::int32_t partition, std::string_view metadata = "") {
    offset_commit_request request;
    request.group_id = "app";
    request.member_id = "A";
    request.generation_id_or_member_epoch = 3;
    request.topics.emplace_back();
    request.topics[0].name = "in";
    request.topics[0].partitions.push_back({.partition_index = partition,
                                            .committed_offset = 42,
                                            .committed_leader_epoch = 5,
                                            .committed_metadata = text(metadata)});
    return request;
  }
  std::int16_t code(const offset_commit_request& request, std::int16_t version) {
    return call<offset_commit_response>(request, version).topics.at(0).partitions.at(0).error_code;
  }
  void commit_in_group(std::int32_t partition, std::int64_t offset, uuid topic_id) {
    auto& value = coordinator.fetched["app"].offsets["in"][partition];
    value.offset = offset;
    value.leader_epoch = 5;
    value.metadata = "m";
    value.topic_id = topic_id;
  }

  uuid id;
};

// ---- commit ----

TEST_F(offset_handlers_test, s4_2_a_commit_reaches_the_coordinator_in_every_version) {
  for (std::int16_t version = 2; version <= 10; ++version) {
    auto request = commit_of(1, "note");
    request.topics[0].topic_id = id;
    EXPECT_EQ(code(request, version), 0) << version;
    const auto& passed = coordinator.commits.back();
    EXPECT_EQ(passed.group_id, "app");
    EXPECT_EQ(passed.member_id, "A");
    EXPECT_EQ(passed.member_epoch, 3);
    EXPECT_EQ(passed.version, version);
    ASSERT_EQ(passed.entries.size(), 1U);
    EXPECT_EQ(passed.entries[0].topic, "in");
    EXPECT_EQ(passed.entries[0].partition, 1);
    EXPECT_EQ(passed.entries[0].value.offset, 42);
    EXPECT_EQ(passed.entries[0].value.metadata, "note");
    EXPECT_EQ(passed.entries[0].value.topic_id, id);
    EXPECT_EQ(passed.entries[0].value.commit_timestamp_ms, time.now_ms());
    EXPECT_EQ(passed.entries[0].value.expire_timestamp_ms, -1);
  }
}

TEST_F(offset_handlers_test, an_old_commit_may_say_how_long_it_lives) {
  auto request = commit_of(0);
  request.retention_time_ms = 1000;
  EXPECT_EQ(code(request, 4), 0);
  EXPECT_EQ(coordinator.commits.back().entries[0].value.expire_timestamp_ms, time.now_ms() + 1000);
}

TEST_F(offset_handlers_test, s4_2_an_unknown_topic_or_partition_fails_only_its_own_entry) {
  auto request = commit_of(0);
  request.topics[0].partitions.push_back({.partition_index = 2, .committed_offset = 1});
  request.topics.push_back(request.topics[0]);
  request.topics[1].name = "nothing";
  const auto answer = call<offset_commit_response>(request, 9);
  EXPECT_EQ(answer.topics[0].partitions[0].error_code, 0);
  EXPECT_EQ(answer.topics[0].partitions[1].error_code, number(error_code::unknown_topic_or_partition));
  EXPECT_EQ(answer.topics[1].partitions[0].error_code, number(error_code::unknown_topic_or_partition));
  EXPECT_EQ(coordinator.commits.back().entries.size(), 1U);
}

TEST_F(offset_handlers_test, s4_2_an_unknown_topic_id_is_100) {
  auto request = commit_of(0);
  request.topics[0].topic_id = uuid{1, 1};
  EXPECT_EQ(code(request, 10), number(error_code::unknown_topic_id));
  request.topics[0].topic_id = {};
  EXPECT_EQ(code(request, 10), number(error_code::unknown_topic_id));
  EXPECT_TRUE(coordinator.commits.empty()) << "nothing is left to ask the group about";
}

TEST_F(offset_handlers_test, s4_2_metadata_above_4096_bytes_fails_its_own_entry) {
  EXPECT_EQ(code(commit_of(0, std::string(4097, 'm')), 9), number(error_code::offset_metadata_too_large));
  EXPECT_EQ(code(commit_of(0, std::string(4096, 'm')), 9), 0);
  coordinator.commit_result = error_code::stale_member_epoch;
  EXPECT_EQ(code(commit_of(0, std::string(4097, 'm')), 9), number(error_code::stale_member_epoch))
      << "the group judges first, as in Kafka";
  EXPECT_FALSE(coordinator.commits.back().entries[0].is_stored);
}

TEST_F(offset_handlers_test, s4_2_an_error_of_the_coordinator_is_told_on_every_other_partition) {
  coordinator.commit_result = error_code::stale_member_epoch;
  auto request = commit_of(0);
  request.topics[0].partitions.push_back({.partition_index = 1, .committed_offset = 1});
  request.topics[0].partitions.push_back({.partition_index = 9, .committed_offset = 1});
  const auto answer = call<offset_commit_response>(request, 9);
  EXPECT_EQ(answer.topics[0].partitions[0].error_code, number(error_code::stale_member_epoch));
  EXPECT_EQ(answer.topics[0].partitions[1].error_code, number(error_code::stale_member_epoch));
  EXPECT_EQ(answer.topics[0].partitions[2].error_code, number(error_code::unknown_topic_or_partition));
}

TEST_F(offset_handlers_test, s4_2_the_empty_group_id_is_allowed) {
  auto request = commit_of(0);
  request.group_id = "";
  EXPECT_EQ(code(request, 9), 0);
}

// ---- fetch ----

TEST_F(offset_handlers_test, s4_3_one_group_before_version_8) {
  commit_in_group(1, 42, id);
  offset_fetch_request request;
  request.group_id = "app";
  request.topics = {{{.name = "in", .partition_indexes = {0, 1}}, {.name = "nothing", .partition_indexes = {0}}}};
  for (std::int16_t version = 1; version <= 7; ++version) {
    const auto answer = call<offset_fetch_response>(request, version);
    ASSERT_EQ(answer.topics.size(), 2U) << version;
    EXPECT_EQ(answer.topics[0].partitions[0].committed_offset, -1);
    EXPECT_EQ(answer.topics[0].partitions[0].metadata, text(""));
    EXPECT_EQ(answer.topics[0].partitions[1].committed_offset, 42);
    EXPECT_EQ(answer.topics[0].partitions[1].metadata, text("m"));
    EXPECT_EQ(answer.topics[1].partitions[0].committed_offset, -1);
    EXPECT_EQ(answer.topics[1].partitions[0].error_code, 0);
  }
}

TEST_F(offset_handlers_test, s4_3_a_batch_of_groups_from_version_8_on) {
  commit_in_group(0, 7, id);
  coordinator.fetched["fenced"].error = error_code::stale_member_epoch;
  for (std::int16_t version = 8; version <= 10; ++version) {
    offset_fetch_request request;
    request.groups.emplace_back();
    request.groups[0].group_id = "app";
    request.groups[0].member_id = text("A");
    request.groups[0].member_epoch = 3;
    request.groups[0].topics = {{{.name = "in", .topic_id = id, .partition_indexes = {0, 1}}}};
    request.groups.push_back(request.groups[0]);
    request.groups[1].group_id = "fenced";
    const auto answer = call<offset_fetch_response>(request, version);
    ASSERT_EQ(answer.groups.size(), 2U);
    EXPECT_EQ(answer.groups[0].topics.at(0).partitions[0].committed_offset, 7);
    EXPECT_EQ(answer.groups[0].topics.at(0).partitions[1].committed_offset, -1);
    EXPECT_EQ(answer.groups[1].error_code, number(error_code::stale_member_epoch));
    EXPECT_TRUE(answer.groups[1].topics.empty());
    EXPECT_EQ(coordinator.fetches.back().member_id, version >= 9 ? std::optional<std::string>("A") : std::nullopt);
    EXPECT_EQ(coordinator.fetches.back().member_epoch, version >= 9 ? 3 : -1);
  }
}

TEST_F(offset_handlers_test, what_is_asked_again_in_one_request_is_answered_again_but_not_without_end) {
  constexpr std::size_t answered = 1 + handlers::repetitions_max;
  commit_in_group(0, 7, id);
  offset_fetch_request request;
  request.groups.resize(answered + 1);
  for (auto& group : request.groups) group.group_id = "app";
  request.groups[0].topics = {{{.name = "in", .topic_id = id, .partition_indexes = {}}}};
  request.groups[0].topics->front().partition_indexes.assign(answered + 1, 0);
  const auto answer = call<offset_fetch_response>(request, 10);
  const auto& partitions = answer.groups.at(0).topics.at(0).partitions;
  EXPECT_EQ(partitions.at(answered - 1).committed_offset, 7);
  EXPECT_EQ(partitions.at(answered).error_code, number(error_code::invalid_request));
  EXPECT_EQ(answer.groups.at(answered - 1).error_code, 0);
  EXPECT_EQ(answer.groups.at(answered).error_code, number(error_code::invalid_request));
}

TEST_F(offset_handlers_test, s4_3_all_offsets_of_a_group) {
  commit_in_group(0, 7, id);
  coordinator.fetched["app"].offsets["gone"][0].offset = 1;
  offset_fetch_request request;
  request.groups.emplace_back();
  request.groups[0].group_id = "app";
  request.groups[0].topics.reset();
  const auto answer = call<offset_fetch_response>(request, 10);
  ASSERT_EQ(answer.groups[0].topics.size(), 1U);
  EXPECT_EQ(answer.groups[0].topics[0].topic_id, id);
  EXPECT_EQ(answer.groups[0].topics[0].partitions.at(0).committed_offset, 7);
}

TEST_F(offset_handlers_test, s4_3_an_unknown_topic_id_is_100_and_an_offset_of_the_former_topic_is_none) {
  commit_in_group(0, 7, uuid{5, 5});
  offset_fetch_request request;
  request.groups.emplace_back();
  request.groups[0].group_id = "app";
  request.groups[0].topics = {{{.name = {}, .topic_id = id, .partition_indexes = {0}},
                               {.name = {}, .topic_id = uuid{1, 1}, .partition_indexes = {0}}}};
  const auto answer = call<offset_fetch_response>(request, 10);
  EXPECT_EQ(answer.groups[0].topics[0].partitions[0].committed_offset, -1);
  EXPECT_EQ(answer.groups[0].topics[0].partitions[0].error_code, 0);
  EXPECT_EQ(answer.groups[0].topics[1].partitions[0].error_code, number(error_code::unknown_topic_id));
}

TEST_F(offset_handlers_test, s4_3_before_version_2_an_error_is_on_every_partition) {
  coordinator.fetched["app"].error = error_code::coordinator_load_in_progress;
  offset_fetch_request request;
  request.group_id = "app";
  request.topics = {{{.name = "in", .partition_indexes = {0, 1}}}};
  const auto old = call<offset_fetch_response>(request, 1);
  EXPECT_EQ(old.topics.at(0).partitions[1].error_code, number(error_code::coordinator_load_in_progress));
  const auto newer = call<offset_fetch_response>(request, 2);
  EXPECT_EQ(newer.error_code, number(error_code::coordinator_load_in_progress));
}

TEST_F(offset_handlers_test, s4_3_a_stable_fetch_of_a_pending_offset_is_refused_on_its_partition) {
  commit_in_group(0, 42, id);
  commit_in_group(1, 43, id);
  coordinator.fetched["app"].unstable.emplace("in", 0);
  offset_fetch_request request;
  request.groups.emplace_back();
  request.groups[0].group_id = "app";
  for (const bool all : {false, true}) {
    auto& topics_wanted = request.groups[0].topics;
    topics_wanted.reset();
    if (!all) topics_wanted.emplace().push_back({.name = "in", .topic_id = {}, .partition_indexes = {0, 1}});
    request.require_stable = true;
    auto partitions = call<offset_fetch_response>(request, 9).groups.at(0).topics.at(0).partitions;
    EXPECT_EQ(partitions.at(0).error_code, number(error_code::unstable_offset_commit));
    EXPECT_EQ(partitions.at(0).committed_offset, -1);
    EXPECT_EQ(partitions.at(1).committed_offset, 43);
    request.require_stable = false;
    partitions = call<offset_fetch_response>(request, 9).groups.at(0).topics.at(0).partitions;
    EXPECT_EQ(partitions.at(0).committed_offset, 42);
  }
}

}  // namespace
}  // namespace weir::server
