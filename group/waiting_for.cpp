// In words: what a group that is not STABLE waits for.
#include <algorithm>
#include <string>
#include <vector>

#include "group/describe.hpp"
#include "group/heartbeat/interim.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

using lines = std::vector<std::string>;

lines until_settled(const streams_group& group, std::int64_t now_ms);
std::string until_upgraded(const streams_group& group);
lines until_ready(const streams_group& group);
lines until_assigned(const streams_group& group, std::int64_t now_ms);
lines until_reconciled(const streams_group& group, std::int64_t now_ms);
lines until_warm(const streams_group& group);
std::string member_waits(const streams_group& group, const std::string& id, const member& member, std::int64_t now_ms);

}  // namespace

std::vector<std::string> waiting_for(const streams_group& group, std::int64_t now_ms) {
  auto waits = until_settled(group, now_ms);
  if (auto line = until_upgraded(group); !line.empty()) waits.push_back(std::move(line));
  return waits;
}

namespace {

lines until_settled(const streams_group& group, std::int64_t now_ms) {
  switch (state_of(group)) {
    case group_state::not_ready: return until_ready(group);
    case group_state::assigning: return until_assigned(group, now_ms);
    case group_state::reconciling: return until_reconciled(group, now_ms);
    case group_state::stable: return until_warm(group);
    default: return {};
  }
}

/// A rolling upgrade that is not over (11.3). Members that only wait get no tasks, so the state does not tell of them.
std::string until_upgraded(const streams_group& group) {
  const auto older = std::ranges::count_if(
      group.members, [&](const auto& entry) { return is_stale(group, entry.second.metadata); });
  if (older == 0) return {};
  return std::to_string(older) + " of " + std::to_string(group.members.size()) +
         " members to be upgraded to topology epoch " + std::to_string(group.topology->epoch) +
         ": they keep the tasks they have and get no others";
}

std::string remaining(std::int64_t deadline_ms, std::int64_t now_ms) {
  return std::to_string(std::max<std::int64_t>(deadline_ms - now_ms, 0)) + " ms";
}

lines until_ready(const streams_group& group) {
  if (!group.topology) return {"the topology: no member has sent one"};
  if (!group.soft.configured) return {"a heartbeat of any member, which checks the topology's topics"};
  const auto& problem = group.soft.configured->problem;
  if (!problem) return {"a heartbeat of any member, which takes note that the topics are in order"};
  return {"topics: " + problem->detail};
}

lines until_assigned(const streams_group& group, std::int64_t now_ms) {
  if (const auto deadline = group.soft.initial_delay_deadline_ms; deadline && *deadline > now_ms) {
    return {"more members: the initial rebalance delay ends in " + remaining(*deadline, now_ms)};
  }
  return {"a heartbeat of any member after the assignment interval, which computes the target for group epoch " +
          std::to_string(group.metadata.epoch)};
}

lines until_reconciled(const streams_group& group, std::int64_t now_ms) {
  lines waits;
  for (const auto& [id, member] : group.members) {
    auto line = member_waits(group, id, member, now_ms);
    if (!line.empty()) waits.push_back(std::move(line));
  }
  return waits;
}

lines until_warm(const streams_group& group) {
  if (group.soft.interim == nullptr || group.soft.interim->waiting == 0) return {};
  return {std::to_string(group.soft.interim->waiting) +
          " tasks to be restored by the members that shall have them; they run where they are meanwhile"};
}

/// What the member is reconciled to: the step in force, else its target; null if it has none.
const role_tasks* wanted_of(const streams_group& group, const std::string& id) {
  const auto* interim = group.soft.interim.get();
  if (interim != nullptr && interim->epoch != group.target_info.assignment_epoch) interim = nullptr;
  if (const auto* step = part_of(interim, id)) return step;
  const auto target = group.targets.find(id);
  return target == group.targets.end() ? nullptr : &target->second;
}

/// Who holds the active task, also pending revocation, or one of another topology that may read the same; empty if
/// nobody does.
std::string holder_of(const streams_group& group, const foreign_claims& foreign, std::string_view subtopology,
                      std::int32_t partition) {
  for (const auto& [id, member] : group.members) {
    if (contains(member.current.assigned.active, subtopology, partition) ||
        contains(member.current.pending_revocation.active, subtopology, partition)) {
      return id;
    }
  }
  const auto* other = foreign.holder(subtopology, partition);
  if (other == nullptr) return {};
  return *other + ", which runs topology epoch " + std::to_string(group.members.at(*other).metadata.topology_epoch) +
         " until it is upgraded";
}

std::string what_is_held_elsewhere(const streams_group& group, const std::string& id, const role_tasks& target,
                                   const assigned_tasks& assigned) {
  static const topology none;
  const foreign_claims foreign(group, group.topology ? *group.topology : none, id, nullptr);
  std::string words;
  for (const auto& [subtopology, partitions] : target.active) {
    for (auto partition : partitions) {
      if (contains(assigned.active, subtopology, partition)) continue;
      const auto holder = holder_of(group, foreign, subtopology, partition);
      words += words.empty() ? "" : ", ";
      words += subtopology + "_" + std::to_string(partition);
      words += holder.empty() ? " (free: its next heartbeat gets it)" : " (held by " + holder + ")";
    }
  }
  return words.empty() ? "standby or warm-up tasks that another member of its process holds" : words;
}

std::string member_waits(const streams_group& group, const std::string& id, const member& member, std::int64_t now_ms) {
  const auto& current = member.current;
  const auto epoch = group.target_info.assignment_epoch;
  const auto soft = group.soft.members.find(id);
  const auto removed_in = [&](std::optional<std::int64_t> member_soft::*deadline) {
    if (soft == group.soft.members.end() || !(soft->second.*deadline)) return std::string();
    return "; it is removed in " + remaining(*(soft->second.*deadline), now_ms);
  };
  if (current.member_epoch == -2) {
    const auto instance = member.metadata.instance_id.value_or(id);
    return "static member " + instance + " (" + id + ") to come back: it left for a while" +
           removed_in(&member_soft::session_deadline_ms);
  }
  switch (current.state) {
    case member_state::unrevoked_tasks: {
      const auto pending = without_epochs(current.pending_revocation);
      auto line = "member " + id + " to release active tasks " + in_words(pending.active);
      if (!pending.standby.empty()) line += ", standby tasks " + in_words(pending.standby);
      if (!pending.warmup.empty()) line += ", warm-up tasks " + in_words(pending.warmup);
      return line + removed_in(&member_soft::rebalance_deadline_ms);
    }
    case member_state::unreleased_tasks: {
      const auto* wanted = wanted_of(group, id);
      if (wanted == nullptr) return {};
      return "tasks for member " + id + ": " + what_is_held_elsewhere(group, id, *wanted, current.assigned);
    }
    case member_state::unknown: return "member " + id + " to rejoin: its stored state is not known";
    case member_state::stable: break;
  }
  if (current.member_epoch == epoch) return {};
  return "the next heartbeat of member " + id + ", which is at epoch " + std::to_string(current.member_epoch) +
         " and goes to " + std::to_string(epoch);
}

}  // namespace
}  // namespace weir::group
