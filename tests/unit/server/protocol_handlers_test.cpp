// Requests of classic, consumer and share groups, deleted offsets, descriptions and the list of configurations, over
// the wire. Spec 05, 4.5, 4.7, 4.10 and 6.
#include <gtest/gtest.h>

#include "embedded_fixture.hpp"
#include "protocol/messages/consumer_group_describe_request.hpp"
#include "protocol/messages/consumer_group_describe_response.hpp"
#include "protocol/messages/consumer_group_heartbeat_request.hpp"
#include "protocol/messages/consumer_group_heartbeat_response.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/heartbeat_response.hpp"
#include "protocol/messages/list_config_resources_request.hpp"
#include "protocol/messages/list_config_resources_response.hpp"
#include "protocol/messages/list_offsets_request.hpp"
#include "protocol/messages/list_offsets_response.hpp"
#include "protocol/messages/offset_delete_request.hpp"
#include "protocol/messages/offset_delete_response.hpp"
#include "protocol/messages/share_group_describe_request.hpp"
#include "protocol/messages/share_group_describe_response.hpp"
#include "protocol/messages/share_group_heartbeat_request.hpp"
#include "protocol/messages/share_group_heartbeat_response.hpp"
#include "protocol/messages/streams_group_topology_description_update_response.hpp"

namespace weir::server {
namespace {

using namespace weir::protocol;  // NOLINT: the messages of a dozen APIs
using testing::number;

class protocol_handlers_test : public testing::embedded_test {
 protected:
  protocol_handlers_test() {
    coordinator.classic.id = "classic";
    coordinator.kinds["app"] = group::group_kind::streams;
  }
  static join_group_request joining(const char* group_id, std::string_view member_id = "") {
    join_group_request request;
    request.group_id = text(std::string_view(group_id));
    request.member_id = text(member_id);
    request.session_timeout_ms = 10'000;
    request.protocol_type = "consumer";
    request.protocols.emplace_back();
    request.protocols[0].name = "range";
    return request;
  }
};

TEST_F(protocol_handlers_test, s4_7_a_classic_member_lives_in_every_version) {
  for (std::int16_t version = 0; version <= 9; ++version) {
    auto joined = call<join_group_response>(joining("classic"), version);
    if (version >= 4) {
      EXPECT_EQ(joined.error_code, number(error_code::member_id_required)) << version;
      const auto id = joined.member_id.str();
      EXPECT_TRUE(id.starts_with("test-")) << id;
      joined = call<join_group_response>(joining("classic", id), version);
    }
    ASSERT_EQ(joined.error_code, 0) << version;
    const auto member = joined.member_id.str();
    const auto generation = joined.generation_id;

    sync_group_request sync;
    sync.group_id = "classic";
    sync.member_id = text(member);
    sync.generation_id = generation;
    sync.protocol_type = text("consumer");
    sync.protocol_name = text("range");
    EXPECT_EQ(call<sync_group_response>(sync, std::min<std::int16_t>(version, 5)).error_code, 0) << version;
    protocol::heartbeat_request beat;
    beat.group_id = "classic";
    beat.member_id = text(member);
    beat.generation_id = generation;
    EXPECT_EQ(call<heartbeat_response>(beat, std::min<std::int16_t>(version, 4)).error_code, 0) << version;
    leave_group_request leave;
    leave.group_id = "classic";
    leave.member_id = text(member);
    const auto leave_version = std::min<std::int16_t>(version, 5);
    if (leave_version >= 3) leave.members.emplace_back().member_id = text(member);
    const auto left = call<leave_group_response>(leave, leave_version);
    EXPECT_EQ(left.error_code, 0) << version;
    if (leave_version >= 3) {
      EXPECT_EQ(left.members.at(0).error_code, 0) << version;
    }
  }
}

TEST_F(protocol_handlers_test, s4_7_an_empty_group_id_is_refused) {
  EXPECT_EQ(call<join_group_response>(joining(""), 9).error_code, number(error_code::invalid_group_id));
  EXPECT_EQ(call<sync_group_response>(sync_group_request(), 4).error_code, number(error_code::invalid_group_id));
  EXPECT_EQ(call<sync_group_response>(sync_group_request(), 5).error_code,
            number(error_code::inconsistent_group_protocol))
      << "its protocol is not named, which counts first, as at a 4.4 broker";
  EXPECT_EQ(call<heartbeat_response>(protocol::heartbeat_request(), 4).error_code,
            number(error_code::invalid_group_id));
  EXPECT_EQ(call<leave_group_response>(leave_group_request(), 5).error_code, number(error_code::invalid_group_id));
}

TEST_F(protocol_handlers_test, s4_7_groups_that_are_not_classic_look_dead_to_old_clients_and_unknown_to_new_ones) {
  describe_groups_request request;
  request.groups = {"app"};
  for (std::int16_t version = 0; version <= 6; ++version) {
    request.include_authorized_operations = version >= 3;
    const auto group = call<describe_groups_response>(request, version).groups.at(0);
    EXPECT_EQ(group.group_state, "Dead");
    EXPECT_EQ(group.error_code, version < 6 ? 0 : number(error_code::group_id_not_found));
    EXPECT_EQ(group.error_message.has_value(), version >= 6);
    EXPECT_EQ(group.authorized_operations == 3400, version >= 3 && version < 6) << version;
  }
}

TEST_F(protocol_handlers_test, consumer_members_are_handed_on_and_version_0_may_come_without_an_id) {
  consumer_group_heartbeat_request request;
  request.group_id = "app";
  request.member_id = "m";
  coordinator.consumer_answer.member_epoch = 7;
  EXPECT_EQ(call<consumer_group_heartbeat_response>(request, 1).member_epoch, 7);
  request.member_id = "";
  call<consumer_group_heartbeat_response>(request, 0);
  ASSERT_EQ(coordinator.consumers.size(), 2U);
  EXPECT_EQ(coordinator.consumers[0].version, 1);
  EXPECT_FALSE(coordinator.consumers[0].client_host.empty());
  EXPECT_TRUE(coordinator.consumers[0].new_member_id.empty()) << "it has one";
  EXPECT_EQ(coordinator.consumers[1].version, 0);
  EXPECT_EQ(coordinator.consumers[1].new_member_id.size(), 22U);
}

TEST_F(protocol_handlers_test, s4_7_share_members_are_no_members_here) {
  const auto beat = [&](const char* id, const char* member, std::int32_t epoch) {
    share_group_heartbeat_request share;
    share.group_id = text(std::string_view(id));
    share.member_id = text(std::string_view(member));
    share.member_epoch = epoch;
    return call<share_group_heartbeat_response>(share, 1).error_code;
  };
  coordinator.kinds["consumers"] = group::group_kind::consumer;
  EXPECT_EQ(beat("consumers", "m", 0), number(error_code::group_id_not_found));
  EXPECT_EQ(beat("app", "m", 0), number(error_code::group_id_not_found));
  EXPECT_EQ(beat("app", "m", -1), number(error_code::group_id_not_found));
  EXPECT_EQ(beat("nobody", "m", 1), number(error_code::group_id_not_found));
  EXPECT_EQ(beat("nobody", "m", 0), number(error_code::unsupported_version));
  EXPECT_EQ(beat("", "m", 0), number(error_code::invalid_request));
  EXPECT_EQ(beat("app", "", 0), number(error_code::invalid_request));
}

TEST_F(protocol_handlers_test, consumer_groups_are_described_and_share_groups_are_not) {
  consumer_group_describe_request consumer;
  consumer.group_ids = {"app", "nobody", "", "consumers"};
  consumer.include_authorized_operations = true;
  coordinator.kinds["consumers"] = group::group_kind::consumer;
  share_group_describe_request share;
  share.group_ids = consumer.group_ids;
  const auto told = call<consumer_group_describe_response>(consumer, 1).groups;
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[3].group_state, "Empty");
  EXPECT_EQ(told[3].assignor_name, "uniform");
  EXPECT_EQ(told[3].authorized_operations, 3400);
  EXPECT_NE(told[0].authorized_operations, 3400);
  EXPECT_EQ(told[0].error_code, number(error_code::group_id_not_found));
  EXPECT_EQ(told[0].error_message, text("Group app is not a consumer group."));
  EXPECT_EQ(told[1].error_message, text("Group nobody not found."));
  EXPECT_EQ(told[2].error_code, number(error_code::invalid_group_id));
  EXPECT_EQ(call<share_group_describe_response>(share, 1).groups.at(0).error_message,
            text("Group app is not a share group."));
}

TEST_F(protocol_handlers_test, s4_5_unknown_partitions_are_told_here_the_rest_by_the_group) {
  make_topic("in", 2);
  offset_delete_request request;
  request.group_id = "app";
  for (const auto* name : {"in", "nothing"}) {
    auto& topic = request.topics.emplace_back();
    topic.name = text(std::string_view(name));
    for (const std::int32_t index : {9, 1}) topic.partitions.emplace_back().partition_index = index;
  }
  coordinator.deletion_answer = {error_code::none, {error_code::group_subscribed_to_topic}};
  const auto answer = call<offset_delete_response>(request, 0);
  EXPECT_EQ(coordinator.deletions.at(0).offsets, (std::vector<group::offset_name>{{"in", 1}}));
  EXPECT_EQ(answer.topics.at(0).partitions.at(0).error_code, number(error_code::unknown_topic_or_partition));
  EXPECT_EQ(answer.topics.at(0).partitions.at(1).error_code, number(error_code::group_subscribed_to_topic));
  EXPECT_EQ(answer.topics.at(1).partitions.at(1).error_code, number(error_code::unknown_topic_or_partition));
}

TEST_F(protocol_handlers_test, s4_5_errors_of_the_group_are_told_once) {
  make_topic("in", 2);
  offset_delete_request request;
  request.group_id = "nobody";
  auto& topic = request.topics.emplace_back();
  topic.name = "in";
  topic.partitions.emplace_back();
  coordinator.deletion_answer = {error_code::group_id_not_found, {}};
  const auto answer = call<offset_delete_response>(request, 0);
  EXPECT_EQ(answer.error_code, number(error_code::group_id_not_found));
  EXPECT_TRUE(answer.topics.empty());
  request.group_id = text();
  EXPECT_EQ(call<offset_delete_response>(request, 0).error_code, number(error_code::invalid_group_id));
}

TEST_F(protocol_handlers_test, s4_10_refusals_of_a_description_carry_their_text) {
  streams_group_topology_description_update_request request;
  request.group_id = "app";
  using answer = streams_group_topology_description_update_response;
  EXPECT_EQ(call<answer>(request, 0).error_code, 0);
  coordinator.description_result = refuse(error_code::unsupported_version, "not kept");
  const auto refused = call<answer>(request, 0);
  EXPECT_EQ(refused.error_code, number(error_code::unsupported_version));
  EXPECT_EQ(refused.error_message, text("not kept"));
}

TEST_F(protocol_handlers_test, s6_groups_with_overrides_are_listed) {
  coordinator.overrides["b"] = {{"streams.num.standby.replicas", "1"}};
  coordinator.overrides["a"] = {{"streams.num.standby.replicas", "1"}};
  make_topic("in", 1);
  const auto list = [&](std::vector<std::int8_t> types, std::int16_t version = 1) {
    list_config_resources_request request;
    request.resource_types = std::move(types);
    std::string found;
    const auto answer = call<list_config_resources_response>(request, version);
    if (answer.error_code != 0) return std::to_string(answer.error_code);
    for (const auto& resource : answer.config_resources) {
      found += std::to_string(resource.resource_type) + ":" + resource.resource_name.str() + " ";
    }
    return found;
  };
  EXPECT_EQ(list({32}), "32:a 32:b ");
  EXPECT_EQ(list({2}), "2:in ");
  EXPECT_EQ(list({}), "32:a 32:b 8:1 4:1 2:in ");
  EXPECT_EQ(list({}, 0), "");
  EXPECT_EQ(list({99}), std::to_string(number(error_code::unsupported_version)));
}

TEST_F(protocol_handlers_test, topics_hold_no_data) {
  make_topic("in", 1);
  list_offsets_request request;
  auto& topic = request.topics.emplace_back();
  topic.name = "in";
  for (const std::int64_t timestamp : {-1, -2, 5}) topic.partitions.emplace_back().timestamp = timestamp;
  topic.partitions.emplace_back().partition_index = 9;
  const auto told = call<list_offsets_response>(request, 11).topics.at(0).partitions;
  EXPECT_EQ(told.at(0).offset, 0);
  EXPECT_EQ(told.at(1).offset, 0);
  EXPECT_EQ(told.at(2).offset, -1);
  EXPECT_EQ(told.at(3).error_code, number(error_code::unknown_topic_or_partition));
}

}  // namespace
}  // namespace weir::server
