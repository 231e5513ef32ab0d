#include "group/classic/rebalance.hpp"

#include <algorithm>

namespace weir::group {
namespace {

using protocol::error_code;

bool supports(const classic_member& member, std::string_view protocol) {
  return std::ranges::any_of(member.protocols, [&](const auto& p) { return p.first == protocol; });
}

/// What most members prefer of what all support; the first by name of equals.
std::string elect_protocol(const classic_members& group) {
  std::map<std::string, std::size_t> votes;
  for (const auto& [id, voter] : group.members) {
    const auto preferred = std::ranges::find_if(voter.protocols, [&](const auto& p) {
      return std::ranges::all_of(group.members, [&](const auto& m) { return supports(m.second, p.first); });
    });
    if (preferred != voter.protocols.end()) ++votes[preferred->first];
  }
  const auto most = std::ranges::max_element(votes, {}, [](const auto& v) { return v.second; });
  return most == votes.end() ? std::string() : most->first;
}

std::string metadata_for(const classic_member& member, std::string_view protocol) {
  const auto found = std::ranges::find_if(member.protocols, [&](const auto& p) { return p.first == protocol; });
  return found == member.protocols.end() ? std::string() : found->second;
}

protocol::join_group_response joined_answer(const classic_members& group, const std::string& member_id) {
  protocol::join_group_response answer;
  answer.generation_id = group.generation;
  answer.protocol_type = text(group.protocol_type);
  answer.protocol_name = text(group.protocol);
  answer.leader = text(group.leader);
  answer.member_id = text(member_id);
  if (member_id != group.leader) return answer;
  for (const auto& [id, member] : group.members) {
    auto& told = answer.members.emplace_back();
    told.member_id = text(id);
    if (member.instance_id) told.group_instance_id = text(*member.instance_id);
    told.metadata = text(metadata_for(member, group.protocol));
  }
  return answer;
}

void become_empty(classic_members& group, classic_outcome& outcome, std::int64_t now_ms) {
  group.phase = classic_phase::empty;
  group.protocol.clear();
  group.leader.clear();
  ++group.generation;
  outcome.records.push_back(classic_group_record{classic_metadata{
      .protocol_type = group.protocol_type, .generation = group.generation, .state_timestamp_ms = now_ms}});
}

}  // namespace

std::string_view name(classic_phase phase) noexcept {
  switch (phase) {
    case classic_phase::empty: return "Empty";
    case classic_phase::preparing: return "PreparingRebalance";
    case classic_phase::completing: return "CompletingRebalance";
    case classic_phase::stable: return "Stable";
  }
  return "Unknown";
}

std::optional<std::int64_t> classic_members::next_deadline() const {
  std::optional<std::int64_t> earliest;
  const auto note = [&](std::int64_t deadline) {
    if (!earliest || deadline < *earliest) earliest = deadline;
  };
  if (phase == classic_phase::preparing) note(rebalance_deadline_ms);
  for (const auto& [id, member] : members) {
    if (!member.is_joining && !member.is_syncing) note(member.session_deadline_ms);
  }
  for (const auto& [id, deadline] : promised) note(deadline);
  return earliest;
}

protocol::join_group_response refuse_join(error_code code, std::string_view member_id) {
  protocol::join_group_response answer;
  answer.error_code = protocol::code_of(code);
  answer.protocol_name = std::nullopt;
  answer.member_id = text(member_id);
  return answer;
}

protocol::sync_group_response refuse_sync(error_code code) {
  protocol::sync_group_response answer;
  answer.error_code = protocol::code_of(code);
  return answer;
}

void start_rebalance(classic_members& group, classic_outcome& outcome, std::int64_t now_ms) {
  if (group.phase == classic_phase::preparing) return;
  group.phase = classic_phase::preparing;
  std::int32_t longest_ms = 0;
  for (auto& [id, member] : group.members) {
    longest_ms = std::max(longest_ms, member.rebalance_timeout_ms);
    member.assignment.clear();
    if (!std::exchange(member.is_syncing, false)) continue;
    member.session_deadline_ms = now_ms + member.session_timeout_ms;
    outcome.synced.emplace_back(id, refuse_sync(error_code::rebalance_in_progress));
  }
  group.rebalance_deadline_ms = now_ms + longest_ms;
}

void drop_classic_member(classic_members& group, const std::string& member_id, classic_outcome& outcome) {
  const auto found = group.members.find(member_id);
  if (found == group.members.end()) return;
  if (found->second.is_joining) {
    outcome.joined.emplace_back(member_id, refuse_join(error_code::unknown_member_id, member_id));
  }
  if (found->second.is_syncing) outcome.synced.emplace_back(member_id, refuse_sync(error_code::unknown_member_id));
  group.members.erase(found);
}

void finish_if_all_joined(classic_members& group, classic_outcome& outcome, std::int64_t now_ms) {
  if (group.phase == classic_phase::empty) return;
  if (group.members.empty()) return become_empty(group, outcome, now_ms);
  const auto joins = [](const auto& entry) { return entry.second.is_joining; };
  if (group.phase != classic_phase::preparing || !std::ranges::all_of(group.members, joins)) return;
  group.phase = classic_phase::completing;
  ++group.generation;
  group.protocol = elect_protocol(group);
  if (!group.members.contains(group.leader)) group.leader = group.members.begin()->first;
  for (auto& [id, member] : group.members) {
    member.is_joining = false;
    member.session_deadline_ms = now_ms + member.session_timeout_ms;
    outcome.joined.emplace_back(id, joined_answer(group, id));
  }
}

bool has_common_protocol(const classic_members& group, const classic_member& newcomer, std::string_view but_for) {
  return std::ranges::any_of(newcomer.protocols, [&](const auto& p) {
    return std::ranges::all_of(group.members,
                               [&](const auto& m) { return m.first == but_for || supports(m.second, p.first); });
  });
}

protocol::sync_group_response assignment_of(const classic_members& group, const classic_member& member) {
  protocol::sync_group_response answer;
  answer.protocol_type = text(group.protocol_type);
  answer.protocol_name = text(group.protocol);
  answer.assignment = text(member.assignment);
  return answer;
}

}  // namespace weir::group
