#include "group/offsets/delete.hpp"

namespace weir::group {

std::optional<refusal> check_deletion(const streams_group& group) {
  if (group.kind == group_kind::none) {
    return refusal{protocol::error_code::group_id_not_found, "Group " + group.id + " not found."};
  }
  if (group.members.empty()) return std::nullopt;
  return refusal{protocol::error_code::non_empty_group, "Group " + group.id + " has members."};
}

records deletion_records(const streams_group& group) {
  records out;
  for (const auto& [topic, partitions] : group.offsets) {
    for (const auto& [partition, offset] : partitions) {
      out.push_back(offset_record{.topic = topic, .partition = partition, .value = {}});
    }
  }
  if (group.kind != group_kind::streams) return out;
  for (const auto& [id, member] : group.members) out.push_back(current_assignment_record{.member_id = id, .value = {}});
  for (const auto& [id, target] : group.targets) out.push_back(target_member_record{.member_id = id, .value = {}});
  out.push_back(target_metadata_record{});
  for (const auto& [id, member] : group.members) out.push_back(member_metadata_record{.member_id = id, .value = {}});
  out.push_back(group_metadata_record{});
  out.push_back(topology_record{});
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

}  // namespace weir::group
