// ConsumerGroupDescribe.
#include "group/consumer/step.hpp"

namespace weir::group {
namespace {

using consumer_description = protocol::consumer_group_describe_response;

constexpr std::int8_t consumer_member_type = 1;  // of the consumer protocol, not the classic one

void name_partitions(const partition_set& from, const metadata::image& image,
                     decltype(consumer_description::member_data::assignment)& to) {
  for (const auto& [topic_id, partitions] : from) {
    const auto* const topic = image.find(topic_id);
    if (topic == nullptr || partitions.empty()) continue;
    auto& part = to.topic_partitions.emplace_back();
    part.topic_id = topic_id;
    part.topic_name = text(topic->name);
    part.partitions.assign(partitions.begin(), partitions.end());
  }
}

/// What it may still use, also if it is to give it up.
partition_set held_by_consumer(const consumer_member& member) {
  partition_set out;
  for (const auto* part : {&member.assigned, &member.pending_revocation}) {
    for (const auto& [topic_id, partitions] : *part) {
      for (const auto& [partition, epoch] : partitions) out[topic_id].insert(partition);
    }
  }
  return out;
}

consumer_description::member_data describe_consumer(const std::string& id, const consumer_member& member,
                                         const partition_set& target, const metadata::image& image) {
  consumer_description::member_data out;
  out.member_id = text(id);
  if (member.instance_id) out.instance_id = text(*member.instance_id);
  if (member.rack_id) out.rack_id = text(*member.rack_id);
  out.member_epoch = member.epoch;
  out.client_id = text(member.client_id);
  out.client_host = text(member.client_host);
  for (const auto& name : member.subscription->topics) out.subscribed_topic_names.emplace_back(name);
  out.subscribed_topic_regex = text(member.subscription->pattern);
  name_partitions(held_by_consumer(member), image, out.assignment);
  name_partitions(target, image, out.target_assignment);
  out.member_type = consumer_member_type;
  return out;
}

}  // namespace

group_state consumer_state_of(const streams_group& group) {
  const auto& all = group.soft.consumer;
  if (group.kind != group_kind::consumer) return group_state::dead;
  if (all.members.empty()) return group_state::empty;
  if (group.consumer->epoch > all.assignment->epoch) return group_state::assigning;
  const bool is_stable = std::ranges::all_of(all.members, [&](const auto& entry) {
    return entry.second.state == consumer_member_state::stable && entry.second.epoch == all.assignment->epoch;
  });
  return is_stable ? group_state::stable : group_state::reconciling;
}

consumer_description::described_group_data describe_consumers(const streams_group& group,
                                                              const metadata::image& image) {
  consumer_description::described_group_data out;
  out.group_id = text(group.id);
  if (group.kind != group_kind::consumer) {
    out.error_code = protocol::code_of(protocol::error_code::group_id_not_found);
    const bool exists = group.kind != group_kind::none;
    out.error_message = text("Group " + group.id + (exists ? " is not a consumer group." : " not found."));
    return out;
  }
  const auto& all = group.soft.consumer;
  out.group_state = text(name(consumer_state_of(group)));
  out.group_epoch = group.consumer->epoch;
  out.assignment_epoch = all.assignment->epoch;
  out.assignor_name = text(elected_assignor({.now = all}));
  for (const auto& [id, member] : all.members) {
    out.members.push_back(describe_consumer(id, member, all.assignment->target_of(id), image));
  }
  return out;
}

}  // namespace weir::group
