// SyncGroup, Heartbeat, LeaveGroup, deadlines and DescribeGroups of a classic group.
#include <set>

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

using leavers = std::set<std::string, std::less<>>;

/// Adds who leaves, a member or the holder of a promised id, to those that have left with the same request.
error_code take_leave(const classic_members& group, std::string_view member_id,
                      const std::optional<text>& instance_id, leavers& gone) {
  auto leaver = std::string(member_id);
  if (instance_id) {
    const auto* const holder = group.holder_of(*instance_id);
    const bool is_held = holder != nullptr && !gone.contains(*holder);
    if (is_held && !member_id.empty() && *holder != member_id) return error_code::fenced_instance_id;
    leaver = is_held ? *holder : std::string();
  }
  const bool is_there = group.members.contains(leaver) && !gone.contains(leaver);
  if (!is_there) leaver = member_id;
  if (!is_there && (!group.promised.contains(leaver) || gone.contains(leaver))) return error_code::unknown_member_id;
  gone.insert(std::move(leaver));
  return error_code::none;
}

/// Whether the rebalance goes on as it is without them.
bool go_unnoticed(const classic_members& group, const leavers& gone) {
  std::size_t members = 0;
  std::size_t joining = 0;
  for (const auto& id : gone) {
    const auto found = group.members.find(id);
    if (found == group.members.end()) continue;
    ++members;
    joining += found->second.is_joining ? 1 : 0;
  }
  if (members == 0) return true;
  return group.phase == classic_phase::preparing && group.joining - joining < group.members.size() - members;
}

/// A copy in which they are not any longer.
classic_members without(const classic_members& now, const leavers& gone, classic_outcome& outcome) {
  auto next = now;
  for (const auto& id : gone) {
    next.promised.erase(id);
    drop_classic_member(next, id, outcome);
  }
  return next;
}

/// Takes members and holders of promised ids out, and starts a rebalance if that changes who is assigned. All others
/// are copied only then.
void depart(const classic_members& now, const leavers& gone, classic_outcome& outcome, std::int64_t now_ms) {
  if (go_unnoticed(now, gone)) {
    for (const auto& id : gone) {
      tell_dropped(now, id, outcome);
      outcome.soft.classic_steps.push_back({.id = id, .member = std::nullopt, .promised_until_ms = std::nullopt});
    }
    return;
  }
  auto next = without(now, gone, outcome);
  if (next.phase != classic_phase::empty && !next.members.empty()) start_rebalance(next, outcome, now_ms);
  finish_if_all_joined(next, outcome, now_ms);
  outcome.soft.classic = std::move(next);
}

/// Members whose session or whose time for a SyncGroup is over, and promised ids that nobody came back with.
leavers overdue(const classic_members& group, std::int64_t now_ms) {
  leavers gone;
  for (const auto& [id, deadline] : group.promised) {
    if (deadline <= now_ms) gone.insert(id);
  }
  const bool is_sync_late = group.owing > 0 && group.sync_deadline_ms <= now_ms;
  for (const auto& [id, member] : group.members) {
    const bool is_over = !member.is_joining && !member.is_syncing && member.session_deadline_ms <= now_ms;
    if (is_over || (is_sync_late && member.owes_sync)) gone.insert(id);
  }
  return gone;
}

/// The rebalance has taken long enough: members that have not joined again are out, unless they are static.
void finish_without_the_late(const classic_members& now, leavers gone, classic_outcome& outcome, std::int64_t now_ms) {
  for (const auto& [id, member] : now.members) {
    if (!member.is_joining && !member.instance_id) gone.insert(id);
  }
  auto next = without(now, gone, outcome);
  finish_late(next, outcome, now_ms);
  outcome.soft.classic = std::move(next);
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
  auto member = now.members.find(request.member_id)->second;
  const bool is_stable = now.phase == classic_phase::stable;
  if (is_stable) {
    outcome.answer = assignment_of(now, member);
    if (!member.owes_sync) {
      outcome.soft = heard_of(request.member_id, member, now_ms);
      return outcome;
    }
  } else {
    outcome.waits_as = request.member_id.str();
  }
  member.session_deadline_ms = now_ms + member.session_timeout_ms;
  member.is_syncing = !is_stable;
  member.owes_sync = false;
  if (is_stable || request.member_id != now.leader) {
    outcome.soft.classic_steps.push_back(
        {.id = request.member_id.str(), .member = std::move(member), .promised_until_ms = std::nullopt});
    return outcome;
  }
  auto next = now;
  next.put(now.leader, std::move(member));
  assign(next, request, outcome, now_ms);
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
  const auto& now = group.soft.classic;
  leavers gone;
  if (version < batch_from) {
    outcome.answer.error_code = protocol::code_of(take_leave(now, request.member_id, std::nullopt, gone));
  }
  for (const auto& leaver : request.members) {
    auto& told = outcome.answer.members.emplace_back();
    told.member_id = leaver.member_id;
    told.group_instance_id = leaver.group_instance_id;
    told.error_code = protocol::code_of(take_leave(now, leaver.member_id, leaver.group_instance_id, gone));
  }
  depart(now, gone, outcome, now_ms);
  return outcome;
}

classic_outcome expire_classic(const streams_group& group, std::int64_t now_ms) {
  classic_outcome outcome;
  const auto& now = group.soft.classic;
  const auto due = now.next_deadline();
  if (!due || *due > now_ms) return outcome;
  auto gone = overdue(now, now_ms);
  if (now.phase == classic_phase::preparing && now.rebalance_deadline_ms <= now_ms) {
    finish_without_the_late(now, std::move(gone), outcome, now_ms);
  } else {
    depart(now, gone, outcome, now_ms);
  }
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
