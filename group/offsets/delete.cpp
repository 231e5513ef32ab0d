#include "group/offsets/delete.hpp"

#include <set>

namespace weir::group {
namespace {

void take_group(const streams_group& group, records& out);

}  // namespace

std::optional<refusal> check_deletion(const streams_group& group) {
  if (group.kind == group_kind::none) {
    return refusal{protocol::error_code::group_id_not_found, "Group " + group.id + " not found."};
  }
  if (group.members.empty() && group.soft.classic.members.empty()) return std::nullopt;
  return refusal{protocol::error_code::non_empty_group, "Group " + group.id + " has members."};
}

records deletion_records(const streams_group& group) {
  std::set<offset_name> offsets;
  for (const auto& [topic, partitions] : group.offsets) {
    for (const auto& [partition, offset] : partitions) offsets.emplace(topic, partition);
  }
  for (const auto& [producer_id, transaction] : group.soft.transactions.by_producer) {
    for (const auto& [topic, partitions] : transaction.offsets) {
      for (const auto& [partition, offset] : partitions) offsets.emplace(topic, partition);
    }
  }
  records out;
  for (const auto& [topic, partition] : offsets) {
    out.push_back(offset_record{.topic = topic, .partition = partition, .value = {}});
  }
  take_group(group, out);
  return out;
}

records conversion_records(const streams_group& group, std::int64_t now_ms) {
  records out;
  out.push_back(target_metadata_record{});
  out.push_back(group_metadata_record{});
  out.push_back(topology_record{});
  if (group.description) out.push_back(topology_description_record{});
  out.push_back(empty_classic_group(now_ms));
  return out;
}

records topic_deletion_records(const streams_group& group, std::string_view topic, const uuid& topic_id) {
  records out;
  auto found = group.offsets.find(topic);
  if (found == group.offsets.end()) return out;
  for (const auto& [partition, offset] : found->second) {
    if (!offset.topic_id.is_zero() && offset.topic_id != topic_id) continue;
    out.push_back(offset_record{.topic = found->first, .partition = partition, .value = {}});
  }
  return out;
}

offset_deletion delete_offsets(const streams_group& group, const std::vector<offset_name>& wanted) {
  offset_deletion out;
  if (group.kind == group_kind::none) {
    out.error = protocol::error_code::group_id_not_found;
    return out;
  }
  const auto& classic = group.soft.classic;
  const bool is_live = !group.members.empty();
  if (group.kind == group_kind::simple && !group.classic) {
    out.records.push_back(classic_group_record{classic_metadata()});
  }
  std::map<std::string, std::string, std::less<>> read;
  if (is_live && group.topology) read = offset_topics(*group.topology);
  for (const auto& [topic, partition] : wanted) {
    if (is_live ? read.contains(topic) : !classic.members.empty()) {
      out.verdicts.push_back(protocol::error_code::group_subscribed_to_topic);
      continue;
    }
    out.verdicts.push_back(protocol::error_code::none);
    const auto stored = group.offsets.find(topic);
    const bool is_stored = stored != group.offsets.end() && stored->second.contains(partition);
    if (!is_stored && !group.soft.transactions.is_pending(topic, partition)) continue;
    out.records.push_back(offset_record{.topic = topic, .partition = partition, .value = {}});
  }
  return out;
}

namespace {

void take_group(const streams_group& group, records& out) {
  if (group.classic) out.push_back(classic_group_record{});
  if (group.kind != group_kind::streams) return;
  for (const auto& [id, member] : group.members) out.push_back(current_assignment_record{.member_id = id, .value = {}});
  for (const auto& [id, target] : group.targets) out.push_back(target_member_record{.member_id = id, .value = {}});
  out.push_back(target_metadata_record{});
  for (const auto& [id, member] : group.members) out.push_back(member_metadata_record{.member_id = id, .value = {}});
  out.push_back(group_metadata_record{});
  out.push_back(topology_record{});
  if (group.description) out.push_back(topology_description_record{});
}

}  // namespace
}  // namespace weir::group
