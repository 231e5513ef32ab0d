#include "group/heartbeat/fence.hpp"

namespace weir::group {
namespace {

bool owns_only_assigned(const owned_report& owned, const assigned_tasks& assigned);

}  // namespace

checked<const member*> find_member(const streams_group& group, const heartbeat_request& request) {
  using protocol::error_code;
  if (group.kind != group_kind::streams) {
    return refuse(error_code::group_id_not_found, "Streams group " + request.group_id.str() + " not found.");  // G1
  }
  if (request.instance_id) {
    auto holder = group.static_members.find(request.instance_id->view());
    if (holder == group.static_members.end()) {
      return refuse(error_code::unknown_member_id, "Instance id " + request.instance_id->str() + " is unknown.");  // G5
    }
    if (holder->second != request.member_id.view()) {
      return refuse(error_code::fenced_instance_id,
                    "Instance id " + request.instance_id->str() + " belongs to member " + holder->second + ".");  // G6
    }
  }
  auto found = group.members.find(request.member_id.view());
  if (found == group.members.end()) {
    return refuse(error_code::unknown_member_id,
                  "Member " + request.member_id.str() + " is not a member of group " + group.id + ".");  // G3
  }
  return &found->second;
}

std::optional<refusal> check_epoch(const current_assignment& current, std::int32_t received,
                                   const std::optional<owned_report>& owned) {
  const auto fenced = [&](const std::string& why) {
    return refusal{protocol::error_code::fenced_member_epoch, "The member is at epoch " +
                                                                  std::to_string(current.member_epoch) + ", not " +
                                                                  std::to_string(received) + why + "; it must rejoin."};
  };
  if (received == current.member_epoch) return std::nullopt;
  if (received > current.member_epoch) return fenced("");
  if (received != current.previous_member_epoch) return fenced("");
  if (!owned) return fenced(", its previous one, and reports no owned tasks");
  if (!owns_only_assigned(*owned, current.assigned)) {
    return fenced(", its previous one, and owns tasks that are not assigned to it");
  }
  return std::nullopt;
}

namespace {

/// Per role, against assigned only: pending revocation does not count.
bool owns_only_assigned(const owned_report& owned, const assigned_tasks& assigned) {
  return is_subset(owned.tasks.active, assigned.active) && is_subset(owned.tasks.standby, assigned.standby) &&
         is_subset(owned.tasks.warmup, assigned.warmup);
}

}  // namespace
}  // namespace weir::group
