#include "group/classic/rebalance.hpp"

#include <algorithm>

namespace weir::group {
namespace {

using protocol::error_code;

bool supports(const classic_member& member, std::string_view protocol) {
  return std::ranges::any_of(*member.protocols, [&](const auto& p) { return p.first == protocol; });
}

/// What most members prefer of what all support; the first by name of equals.
std::string elect_protocol(const classic_members& group) {
  std::map<std::string, std::size_t> votes;
  for (const auto& [id, voter] : group.members) {
    const auto preferred = std::ranges::find_if(
        *voter.protocols, [&](const auto& p) { return group.supporters_of(p.first) == group.members.size(); });
    if (preferred != voter.protocols->end()) ++votes[preferred->first];
  }
  const auto most = std::ranges::max_element(votes, {}, [](const auto& v) { return v.second; });
  return most == votes.end() ? std::string() : most->first;
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

constexpr std::int32_t waited_at_least_ms = 1'000;  // members may allow no time at all

std::int32_t longest_rebalance_timeout_ms(const classic_members& group) {
  std::int32_t longest_ms = 0;
  for (const auto& [id, member] : group.members) longest_ms = std::max(longest_ms, member.rebalance_timeout_ms);
  return longest_ms;
}

bool joins(const std::pair<const std::string, classic_member>& entry) { return entry.second.is_joining; }

/// Of a member that did not join, session and protocols go on as they are. Everybody owes a SyncGroup.
void start_generation(classic_members& group, classic_outcome& outcome, std::int64_t now_ms) {
  group.phase = classic_phase::completing;
  ++group.generation;
  group.protocol = elect_protocol(group);
  const auto leader = group.members.find(group.leader);
  const bool is_led = leader != group.members.end() && joins(*leader);
  if (!is_led) group.leader = std::ranges::find_if(group.members, joins)->first;
  group.sync_deadline_ms = now_ms + std::max(longest_rebalance_timeout_ms(group), waited_at_least_ms);
  group.joining = 0;
  group.owing = group.members.size();
  for (auto& [id, member] : group.members) {
    member.owes_sync = true;
    if (!std::exchange(member.is_joining, false)) continue;
    member.session_deadline_ms = now_ms + member.session_timeout_ms;
    outcome.joined.emplace_back(id, joined_answer(group, id));
  }
}

}  // namespace

std::string metadata_for(const classic_member& member, std::string_view protocol) {
  const auto found = std::ranges::find_if(*member.protocols, [&](const auto& p) { return p.first == protocol; });
  return found == member.protocols->end() ? std::string() : found->second;
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
  group.owing = 0;
  for (auto& [id, member] : group.members) {
    member.assignment.clear();
    member.owes_sync = false;
    if (!std::exchange(member.is_syncing, false)) continue;
    member.session_deadline_ms = now_ms + member.session_timeout_ms;
    outcome.synced.emplace_back(id, refuse_sync(error_code::rebalance_in_progress));
  }
  group.rebalance_deadline_ms = now_ms + longest_rebalance_timeout_ms(group);
}

void tell_dropped(const classic_members& group, const std::string& member_id, classic_outcome& outcome,
                  error_code why) {
  const auto found = group.members.find(member_id);
  if (found == group.members.end()) return;
  if (found->second.is_joining) outcome.joined.emplace_back(member_id, refuse_join(why, member_id));
  if (found->second.is_syncing) outcome.synced.emplace_back(member_id, refuse_sync(why));
}

void drop_classic_member(classic_members& group, const std::string& member_id, classic_outcome& outcome,
                         error_code why) {
  tell_dropped(group, member_id, outcome, why);
  group.erase(member_id);
}

void finish_if_all_joined(classic_members& group, classic_outcome& outcome, std::int64_t now_ms) {
  if (group.phase == classic_phase::empty) return;
  if (group.members.empty()) return become_empty(group, outcome, now_ms);
  if (group.phase == classic_phase::preparing && group.joining == group.members.size()) {
    start_generation(group, outcome, now_ms);
  }
}

void finish_late(classic_members& group, classic_outcome& outcome, std::int64_t now_ms) {
  if (group.members.empty()) return become_empty(group, outcome, now_ms);
  if (group.joining > 0) return start_generation(group, outcome, now_ms);
  group.rebalance_deadline_ms = now_ms + std::max(longest_rebalance_timeout_ms(group), waited_at_least_ms);
}

std::optional<protocol::join_group_response> resume_static(const classic_members& group, const std::string& member_id,
                                                           const std::string& former_id, std::int16_t version) {
  constexpr std::int16_t skip_assignment_from = 9;
  if (group.phase != classic_phase::stable || elect_protocol(group) != group.protocol) return std::nullopt;
  auto answer = joined_answer(group, member_id);
  if (group.leader != member_id) return answer;
  answer.skip_assignment = version >= skip_assignment_from;
  if (answer.skip_assignment) return answer;
  answer.leader = text(former_id);
  answer.members.clear();
  return answer;
}

std::optional<protocol::join_group_response> repeat_join(const classic_members& group,
                                                         const protocol::join_group_request& request) {
  const auto known = group.members.find(request.member_id);
  const bool is_settled = group.phase == classic_phase::completing ||
                          (group.phase == classic_phase::stable && group.leader != request.member_id);
  if (known == group.members.end() || !is_settled) return std::nullopt;
  const auto equal = [](const auto& a, const auto& b) { return a.name == b.first && a.metadata == b.second; };
  const bool is_same = std::ranges::equal(request.protocols, *known->second.protocols, equal);
  return is_same ? std::optional(joined_answer(group, known->first)) : std::nullopt;
}

bool has_common_protocol(const classic_members& group, const protocol::join_group_request& request,
                         std::string_view but_for) {
  const auto former = group.members.find(but_for);
  const bool is_replaced = former != group.members.end();
  const auto others = group.members.size() - (is_replaced ? 1 : 0);
  return std::ranges::any_of(request.protocols, [&](const auto& p) {
    const bool is_formers = is_replaced && supports(former->second, p.name);
    return group.supporters_of(p.name) - (is_formers ? 1 : 0) == others;
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
