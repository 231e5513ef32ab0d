#include "group/balance.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "group/versions.hpp"

namespace weir::group {
namespace {

/// What one member or process holds.
struct holding {
  std::int64_t active = 0;
  std::int64_t stateful = 0;
  std::int64_t total = 0;
};

std::int64_t size_of(const auto& tasks) { return static_cast<std::int64_t>(count(tasks)); }

std::set<std::string_view> stateful_parts(const streams_group& group) {
  std::set<std::string_view> out;
  if (!group.topology) return out;
  for (const auto& part : group.topology->subtopologies) {
    if (part.is_stateful()) out.insert(part.id);
  }
  return out;
}

holding holding_of(const assigned_tasks& tasks, const std::set<std::string_view>& stateful) {
  holding out;
  out.active = size_of(tasks.active);
  out.total = out.active + size_of(tasks.standby) + size_of(tasks.warmup);
  for (const auto& [id, partitions] : tasks.active) {
    if (stateful.contains(id)) out.stateful += static_cast<std::int64_t>(partitions.size());
  }
  return out;
}

template <class Key>
task_spread spread_over(const std::map<Key, holding>& of, std::int64_t holding::*what) {
  task_spread out;
  if (of.empty()) return out;
  out.least = of.begin()->second.*what;
  for (const auto& [key, held] : of) {
    out.least = std::min(out.least, held.*what);
    out.most = std::max(out.most, held.*what);
  }
  return out;
}

template <class Key>
std::int64_t idle_among(const std::map<Key, holding>& of) {
  return std::ranges::count_if(of, [](const auto& entry) { return entry.second.active == 0; });
}

std::int64_t tasks_of(const streams_group& group) {
  std::int64_t out = 0;
  const auto* configured = group.soft.configured.get();
  if (configured == nullptr || !configured->subtopologies) return out;
  for (const auto& [id, part] : *configured->subtopologies) out += part.tasks;
  return out;
}

std::string words_for(const group_counts& counts, const group_balance& balance) {
  if (counts.members == 0) return "no member";
  if (counts.unassigned > 0) return std::to_string(counts.unassigned) + " tasks run nowhere";
  const auto range = std::to_string(balance.active_per_member.least) + " to " +
                     std::to_string(balance.active_per_member.most) + " active tasks a thread";
  if (balance.even && balance.idle_members == 0) return "even: " + range;
  if (balance.even) {
    return "even: there are more threads than tasks, " + std::to_string(balance.idle_members) + " have none";
  }
  return "uneven: " + range;
}

}  // namespace

group_spread spread_of(const streams_group& group) {
  group_spread out;
  auto& counts = out.counts;
  const auto stateful = stateful_parts(group);
  std::map<std::string_view, holding> members;
  std::map<std::string_view, holding> processes;
  for (const auto& [id, member] : group.members) {
    const auto& current = member.current;
    counts.to_revoke += size_of(current.pending_revocation.active);
    counts.standby += size_of(current.assigned.standby);
    counts.warmup += size_of(current.assigned.warmup);
    const auto held = holding_of(current.assigned, stateful);
    counts.active += held.active;
    counts.stateful_active += held.stateful;
    if (current.is_away()) {
      ++counts.away;
      continue;
    }
    members[id] = held;
    auto& process = processes[member.metadata.process_id];
    process.active += held.active;
    process.stateful += held.stateful;
    process.total += held.total;
  }
  counts.members = static_cast<std::int64_t>(members.size());
  counts.processes = static_cast<std::int64_t>(processes.size());
  counts.tasks = tasks_of(group);
  // What older members run are tasks of another topology.
  counts.unassigned = is_newest_run(group) ? std::max<std::int64_t>(0, counts.tasks - counts.active) : counts.tasks;
  if (group.soft.interim) counts.waiting_to_move = static_cast<std::int64_t>(group.soft.interim->waiting);

  auto& balance = out.balance;
  balance.active_per_member = spread_over(members, &holding::active);
  balance.total_per_member = spread_over(members, &holding::total);
  balance.active_per_process = spread_over(processes, &holding::active);
  balance.stateful_active_per_process = spread_over(processes, &holding::stateful);
  balance.idle_members = idle_among(members);
  balance.idle_processes = idle_among(processes);
  balance.even = counts.unassigned == 0 && balance.active_per_member.most - balance.active_per_member.least <= 1;
  balance.text = words_for(counts, balance);
  return out;
}

}  // namespace weir::group
