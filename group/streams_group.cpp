#include "group/streams_group.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "group/heartbeat/holders.hpp"

namespace weir::group {
namespace {

void repair_members(streams_group& group, std::vector<std::string>& repairs);
void repair_claims(streams_group& group, std::vector<std::string>& repairs);
void repair_targets(streams_group& group, std::vector<std::string>& repairs);
void start_deadlines(streams_group& group, const group_config& config, std::int64_t now_ms);

}  // namespace

std::string_view type_name(group_kind kind) noexcept {
  if (kind == group_kind::streams) return "streams";
  return kind == group_kind::consumer ? "consumer" : "classic";
}

std::string_view name(group_state state) noexcept {
  switch (state) {
    case group_state::empty: return "Empty";
    case group_state::not_ready: return "NotReady";
    case group_state::assigning: return "Assigning";
    case group_state::reconciling: return "Reconciling";
    case group_state::stable: return "Stable";
    case group_state::dead: return "Dead";
  }
  return "Unknown";
}

group_state state_of(const streams_group& group) {
  if (group.kind != group_kind::streams) return group_state::dead;
  if (group.members.empty()) return group_state::empty;
  const auto validated = group.metadata.validated_topology_epoch;
  if (!group.topology || group.topology->epoch != validated) return group_state::not_ready;
  const auto assignment_epoch = group.target_info.assignment_epoch;
  if (group.metadata.epoch > assignment_epoch) return group_state::assigning;
  const bool all_reconciled = std::ranges::all_of(group.members, [&](const auto& entry) {
    const auto& current = entry.second.current;
    return current.state == member_state::stable && current.member_epoch == assignment_epoch;
  });
  return all_reconciled ? group_state::stable : group_state::reconciling;
}

std::vector<std::string> finish_load(streams_group& group, const group_config& config, std::int64_t now_ms) {
  std::vector<std::string> repairs;
  if (group.kind != group_kind::streams) return repairs;
  repair_members(group, repairs);
  repair_claims(group, repairs);
  repair_targets(group, repairs);
  if (group.members.empty() && !group.topology && !group.metadata_seen) {
    repairs.push_back("neither members, topology nor group metadata: not a streams group");
    apply(group, group_metadata_record{});
    return repairs;
  }
  if (group.target_info.assignment_epoch > group.metadata.epoch) {
    repairs.push_back("assignment epoch " + std::to_string(group.target_info.assignment_epoch) +
                      " is above group epoch " + std::to_string(group.metadata.epoch) + ": group epoch raised");
    group.metadata.epoch = group.target_info.assignment_epoch;
  }
  start_deadlines(group, config, now_ms);
  group.soft.state = state_of(group);
  return repairs;
}

bool note_state(streams_group& group, std::int64_t now_ms) {
  const auto state = state_of(group);
  if (group.soft.state == state) return false;
  group.soft.state = state;
  group.soft.state_since_ms = now_ms;
  return true;
}

std::optional<hindrance> hindrance_of(const streams_group& group) {
  const auto state = state_of(group);
  if (state == group_state::not_ready) return hindrance{hold_up::missing_topic, {}};
  if (state != group_state::reconciling) return std::nullopt;
  std::optional<hindrance> found;
  for (const auto& [id, member] : group.members) {
    const auto& current = member.current;
    if (current.state == member_state::unrevoked_tasks) return hindrance{hold_up::unrevoked, id};
    const bool waits = current.state == member_state::unreleased_tasks;
    const bool is_late = !waits && current.member_epoch != group.target_info.assignment_epoch;
    if (is_late && (!found || found->why == hold_up::unreleased)) found = hindrance{hold_up::slow_heartbeat, id};
    if (waits && !found) found = hindrance{hold_up::unreleased, id};
  }
  return found;
}

void invalidate_metadata(streams_group& group) noexcept {
  group.soft.refresh_deadline_ms = 0;
  group.soft.refresh_epoch = 0;
}

bool has_members(const streams_group& group) noexcept {
  return !group.members.empty() || !group.soft.classic.members.empty() || !group.soft.consumer.members.empty();
}

std::optional<std::int64_t> next_deadline(const streams_group& group) {
  std::optional<std::int64_t> earliest = group.soft.initial_delay_deadline_ms;
  const auto note = [&](std::optional<std::int64_t> deadline) {
    if (deadline && (!earliest || *deadline < *earliest)) earliest = deadline;
  };
  note(group.soft.transactions.next_deadline());
  note(group.soft.classic.next_deadline());
  note(group.soft.consumer.next_deadline());
  for (const auto& [id, soft] : group.soft.members) {
    note(soft.session_deadline_ms);
    note(soft.rebalance_deadline_ms);
  }
  return earliest;
}

namespace {

void repair_members(streams_group& group, std::vector<std::string>& repairs) {
  std::vector<std::string> half;
  for (const auto& [id, member] : group.members) {
    if (!member.metadata_seen || !member.current_seen) half.push_back(id);
  }
  for (const auto& id : half) {
    const auto* missing = group.members.at(id).metadata_seen ? "current assignment" : "metadata";
    repairs.push_back("member " + id + " has no " + missing + ": dropped");
    apply(group, member_metadata_record{.member_id = id, .value = {}});
  }
}

void repair_targets(streams_group& group, std::vector<std::string>& repairs) {
  for (auto entry = group.targets.begin(); entry != group.targets.end();) {
    if (group.members.contains(entry->first)) {
      ++entry;
    } else {
      repairs.push_back("target of unknown member " + entry->first + ": dropped");
      entry = group.targets.erase(entry);
    }
  }
}

/// One claim of an active task: the epoch at which the member got it, then the member's own.
struct claim {
  std::int32_t epoch = 0;
  std::int32_t member_epoch = 0;
  std::string member_id;

  auto operator<=>(const claim&) const = default;
};

using claims = std::map<std::pair<std::string, std::int32_t>, std::vector<claim>>;

void collect(claims& all, const std::string& id, const member& member, const task_epochs& tasks) {
  for (const auto& [subtopology, partitions] : tasks) {
    for (const auto& [partition, epoch] : partitions) {
      all[{subtopology, partition}].push_back({epoch, member.current.member_epoch, id});
    }
  }
}

/// An active task that several members claim, as the log of another coordinator may show, stays with the one it was
/// given to last. The others are dropped: they learn by their next heartbeat that they own nothing, and join again.
void repair_claims(streams_group& group, std::vector<std::string>& repairs) {
  if (is_exclusive(group.held)) return;
  claims all;
  for (const auto& [id, member] : group.members) {
    collect(all, id, member, member.current.assigned.active);
    collect(all, id, member, member.current.pending_revocation.active);
  }
  for (const auto& [task, holders] : all) {
    const auto last = *std::ranges::max_element(holders);
    for (const auto& lost : holders) {
      if (lost.member_id == last.member_id || !group.members.contains(lost.member_id)) continue;
      repairs.push_back("active task " + task_name(task.first, task.second) + " of member " +
                        lost.member_id + " was given to " + last.member_id + " later: the former is dropped");
      apply(group, member_metadata_record{.member_id = lost.member_id, .value = {}});
    }
  }
}

void start_deadlines(streams_group& group, const group_config& config, std::int64_t now_ms) {
  group.soft = {};
  for (const auto& [id, member] : group.members) {
    auto& soft = group.soft.members[id];
    soft.session_deadline_ms = now_ms + config.session_timeout_ms;
    soft.phase = phase_of(member.current);
    if (member.current.state != member_state::unrevoked_tasks) continue;
    soft.rebalance_deadline_ms = now_ms + member.metadata.rebalance_timeout_ms;
    soft.rebalance_epoch = member.current.member_epoch;
  }
}

}  // namespace
}  // namespace weir::group
