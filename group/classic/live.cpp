// SyncGroup, Heartbeat, LeaveGroup, deadlines and DescribeGroups of a classic group.
#include <algorithm>

#include "group/classic/rebalance.hpp"

namespace weir::group {
namespace {

using protocol::error_code;

/// Spec 05, 4.7: nobody is a classic member of a streams group. Nothing: the member may go on.
error_code check_classic(const classic_members& group, std::string_view member_id,
                         const std::optional<text>& instance_id, std::int32_t generation) {
  const auto identified = identify_classic(group, member_id, instance_id);
  if (identified != error_code::none) return identified;
  return generation == group.generation ? error_code::none : error_code::illegal_generation;
}

/// The member is alive: one deadline changes.
soft_update heard_of(const text& member_id, const classic_member& member, std::int64_t now_ms) {
  soft_update update;
  update.member_id = member_id;
  update.session_deadline_ms = now_ms + member.session_timeout_ms;
  return update;
}

void assign(classic_members& group, const protocol::sync_group_request& request, classic_outcome& outcome,
            std::int64_t now_ms) {
  for (const auto& given : request.assignments) {
    const auto member = group.members.find(given.member_id);
    if (member != group.members.end()) member->second.assignment = given.assignment.str();
  }
  group.phase = classic_phase::stable;
  for (auto& [id, member] : group.members) {
    if (!std::exchange(member.is_syncing, false)) continue;
    member.session_deadline_ms = now_ms + member.session_timeout_ms;
    outcome.synced.emplace_back(id, assignment_of(group, member));
  }
}

error_code take_leave(classic_members& group, std::string_view member_id, const std::optional<text>& instance_id,
                      classic_outcome& outcome) {
  auto leaver = std::string(member_id);
  if (instance_id) {
    const auto* const holder = group.holder_of(*instance_id);
    if (holder != nullptr && !member_id.empty() && *holder != member_id) return error_code::fenced_instance_id;
    leaver = holder != nullptr ? *holder : std::string();
  }
  if (group.members.contains(leaver)) {
    drop_classic_member(group, leaver, outcome);
    return error_code::none;
  }
  const auto promised = group.promised.find(member_id);
  if (promised == group.promised.end()) return error_code::unknown_member_id;
  group.promised.erase(promised);
  return error_code::none;
}

void after_departure(classic_members& group, classic_outcome& outcome, std::int64_t now_ms) {
  if (group.phase != classic_phase::empty && !group.members.empty()) start_rebalance(group, outcome, now_ms);
  finish_if_all_joined(group, outcome, now_ms);
}

}  // namespace

protocol::error_code identify_classic(const classic_members& group, std::string_view member_id,
                                      const std::optional<std::string_view>& instance_id) {
  if (instance_id) {
    const auto* const holder = group.holder_of(*instance_id);
    if (holder == nullptr) return error_code::unknown_member_id;
    if (*holder != member_id) return error_code::fenced_instance_id;
  }
  return group.members.contains(member_id) ? error_code::none : error_code::unknown_member_id;
}

sync_outcome sync_classic(const streams_group& group, const protocol::sync_group_request& request,
                          std::int64_t now_ms) {
  sync_outcome outcome;
  const auto& now = group.soft.classic;
  auto code = check_classic(now, request.member_id, request.group_instance_id, request.generation_id);
  if (code == error_code::none && ((request.protocol_type && *request.protocol_type != now.protocol_type) ||
                                   (request.protocol_name && *request.protocol_name != now.protocol))) {
    code = error_code::inconsistent_group_protocol;
  }
  if (code == error_code::none && now.phase == classic_phase::preparing) code = error_code::rebalance_in_progress;
  if (code != error_code::none) {
    outcome.answer = refuse_sync(code);
    return outcome;
  }
  const auto& known = now.members.find(request.member_id)->second;
  if (now.phase == classic_phase::stable) {
    outcome.answer = assignment_of(now, known);
    outcome.soft = heard_of(request.member_id, known, now_ms);
    return outcome;
  }
  auto next = now;
  auto& member = next.members.find(request.member_id)->second;
  member.session_deadline_ms = now_ms + member.session_timeout_ms;
  member.is_syncing = true;
  outcome.waits_as = request.member_id.str();
  if (request.member_id == next.leader) assign(next, request, outcome, now_ms);
  outcome.soft.classic = std::move(next);
  return outcome;
}

beat_outcome beat_classic(const streams_group& group, const protocol::heartbeat_request& request, std::int64_t now_ms) {
  beat_outcome outcome;
  const auto& now = group.soft.classic;
  outcome.answer = check_classic(now, request.member_id, request.group_instance_id, request.generation_id);
  if (outcome.answer != error_code::none) return outcome;
  outcome.soft = heard_of(request.member_id, now.members.find(request.member_id)->second, now_ms);
  if (now.phase == classic_phase::preparing) outcome.answer = error_code::rebalance_in_progress;
  return outcome;
}

leave_outcome leave_classic(const streams_group& group, const protocol::leave_group_request& request,
                            std::int16_t version, std::int64_t now_ms) {
  constexpr std::int16_t batch_from = 3;
  leave_outcome outcome;
  auto next = group.soft.classic;
  if (version < batch_from) {
    outcome.answer.error_code = protocol::code_of(take_leave(next, request.member_id, std::nullopt, outcome));
  }
  for (const auto& leaver : request.members) {
    auto& told = outcome.answer.members.emplace_back();
    told.member_id = leaver.member_id;
    told.group_instance_id = leaver.group_instance_id;
    told.error_code = protocol::code_of(take_leave(next, leaver.member_id, leaver.group_instance_id, outcome));
  }
  if (next.members.size() != group.soft.classic.members.size()) after_departure(next, outcome, now_ms);
  outcome.soft.classic = std::move(next);
  return outcome;
}

classic_outcome expire_classic(const streams_group& group, std::int64_t now_ms) {
  classic_outcome outcome;
  const auto& now = group.soft.classic;
  const auto due = now.next_deadline();
  if (!due || *due > now_ms) return outcome;
  auto next = now;
  std::erase_if(next.promised, [&](const auto& entry) { return entry.second <= now_ms; });
  const bool is_late = next.phase == classic_phase::preparing && next.rebalance_deadline_ms <= now_ms;
  for (const auto& [id, member] : now.members) {
    if (member.is_joining || member.is_syncing) continue;
    const bool is_left_behind = is_late && !member.instance_id;
    if (is_left_behind || member.session_deadline_ms <= now_ms) drop_classic_member(next, id, outcome);
  }
  if (is_late) {
    finish_late(next, outcome, now_ms);
  } else if (next.members.size() != now.members.size()) {
    after_departure(next, outcome, now_ms);
  }
  outcome.soft.classic = std::move(next);
  return outcome;
}

protocol::describe_groups_response::described_group_data describe_classic(const streams_group& group) {
  protocol::describe_groups_response::described_group_data out;
  out.group_id = text(group.id);
  if (group.kind != group_kind::simple) {
    out.error_code = protocol::code_of(error_code::group_id_not_found);
    out.error_message =
        text("Group " + group.id + (group.kind == group_kind::none ? " not found." : " is not a classic group."));
    out.group_state = "Dead";
    return out;
  }
  const auto& classic = group.soft.classic;
  const bool is_stable = classic.phase == classic_phase::stable;
  out.group_state = text(name(classic.phase));
  out.protocol_type = text(classic.protocol_type);
  if (is_stable) out.protocol_data = text(classic.protocol);
  for (const auto& [id, member] : classic.members) {
    auto& told = out.members.emplace_back();
    told.member_id = text(id);
    if (member.instance_id) told.group_instance_id = text(*member.instance_id);
    told.client_id = text(member.client_id);
    told.client_host = text(member.client_host);
    if (!is_stable) continue;
    told.member_metadata = text(metadata_for(member, classic.protocol));
    told.member_assignment = text(member.assignment);
  }
  return out;
}

}  // namespace weir::group
