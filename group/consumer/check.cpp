// What a ConsumerGroupHeartbeat must look like.
#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"
#include "group/consumer/step.hpp"

namespace weir::group {
namespace {

using protocol::error_code;
using consumer_verdict = std::optional<refusal>;

consumer_verdict is_invalid(std::string why) { return refusal{error_code::invalid_request, std::move(why)}; }

bool is_too_long(const std::optional<text>& value) {
  return value && value->size() > limits::consumer_text_bytes_max;
}

consumer_verdict check_consumer_texts(const consumer_call& c) {
  constexpr std::int16_t member_id_from = 1;
  const auto& asked = c.request;
  const bool needs_id = c.caller.version >= member_id_from || !c.is_join();
  if (asked.member_id.empty() && needs_id) return is_invalid("MemberId can't be empty.");
  if (asked.group_id.empty()) return is_invalid("GroupId can't be empty.");
  if (asked.instance_id && asked.instance_id->empty()) return is_invalid("InstanceId can't be empty.");
  if (asked.rack_id && asked.rack_id->empty()) return is_invalid("RackId can't be empty.");
  if (is_too_long(asked.member_id) || is_too_long(asked.instance_id) || is_too_long(asked.rack_id)) {
    return is_invalid(fmt::format("MemberId, InstanceId and RackId can have at most {} bytes.",
                                  limits::consumer_text_bytes_max));
  }
  return std::nullopt;
}

consumer_verdict check_consumer_join(const consumer_request& asked) {
  if (asked.rebalance_timeout_ms == -1) return is_invalid("RebalanceTimeoutMs must be provided in first request.");
  if (!asked.topic_partitions || !asked.topic_partitions->empty()) {
    return is_invalid("TopicPartitions must be empty when (re-)joining.");
  }
  if (asked.subscribed_topic_names || asked.subscribed_topic_regex) return std::nullopt;
  return is_invalid("Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.");
}

consumer_verdict check_consumer_epoch(const consumer_request& asked) {
  if (asked.member_epoch == 0) return check_consumer_join(asked);
  if (asked.member_epoch == consumer_member::away_epoch && !asked.instance_id) {
    return is_invalid("InstanceId can't be null.");
  }
  if (asked.member_epoch < consumer_member::away_epoch) return is_invalid("MemberEpoch is invalid.");
  return std::nullopt;
}

/// Limits of our own.
consumer_verdict check_consumer_topics(const consumer_request& asked) {
  if (!asked.subscribed_topic_names) return std::nullopt;
  const auto& names = *asked.subscribed_topic_names;
  if (names.size() > limits::consumer_topics_max) {
    return is_invalid(fmt::format("A member can subscribe to {} topics by name, not {}.", limits::consumer_topics_max,
                                  names.size()));
  }
  if (std::ranges::all_of(names, [](const text& name) { return name.size() <= limits::topic_name_max; })) return {};
  return is_invalid(fmt::format("A topic name has at most {} bytes.", limits::topic_name_max));
}

}  // namespace

consumer_verdict check_consumer_request(const consumer_call& c) {
  if (auto bad = check_consumer_texts(c)) return bad;
  if (auto bad = check_consumer_epoch(c.request)) return bad;
  const auto& assignor = c.request.server_assignor;
  if (assignor && std::ranges::find(consumer_assignors, assignor->view()) == std::end(consumer_assignors)) {
    return refusal{error_code::unsupported_assignor,
                   fmt::format("ServerAssignor {} is not supported. Supported assignors: {}.", assignor->view(),
                               fmt::join(consumer_assignors, ", "))};
  }
  return check_consumer_topics(c.request);
}

consumer_verdict check_consumer_group(const consumer_call& c) {
  const auto& group = c.group;
  const auto not_found = [](std::string why) { return refusal{error_code::group_id_not_found, std::move(why)}; };
  if (group.kind == group_kind::consumer) return std::nullopt;
  if (c.is_join() && group.kind == group_kind::none) return std::nullopt;
  if (c.is_join() && group.kind == group_kind::simple) {
    if (group.soft.classic.members.empty()) return std::nullopt;
    return not_found("Cannot upgrade classic group " + group.id +
                     " to consumer group because online upgrade is disabled.");
  }
  if (group.kind != group_kind::none) return not_found("Group " + group.id + " is not a consumer group.");
  const bool leaves = c.request.member_epoch < 0;
  return not_found((leaves ? "Group " : "Consumer group ") + group.id + " not found.");
}

protocol::kafka_result<const consumer_member*> find_consumer(const consumer_call& c) {
  const auto& asked = c.request;
  const auto& all = c.members();
  if (asked.instance_id) {
    const auto holder = all.instances.find(asked.instance_id->view());
    if (holder == all.instances.end()) {
      return protocol::refuse(error_code::unknown_member_id,
                              fmt::format("Instance id {} is unknown.", asked.instance_id->view()));
    }
    if (holder->second != asked.member_id.view()) {
      return protocol::refuse(error_code::fenced_instance_id,
                              fmt::format("Static member {} with instance id {} was fenced by member {}.",
                                          asked.member_id.view(), asked.instance_id->view(), holder->second));
    }
  }
  const auto found = all.members.find(asked.member_id.view());
  if (found != all.members.end()) return &found->second;
  return protocol::refuse(error_code::unknown_member_id, fmt::format("Member {} is not a member of group {}.",
                                                                     asked.member_id.view(), c.group.id));
}

}  // namespace weir::group
