// A streams group as the assignor sees it, owning its strings and maps: what tests build and change. input() lends it
// out as the borrowed group_input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assignor/named_plan.hpp"
#include "assignor/refine.hpp"
#include "assignor/task_numbers.hpp"
#include "assignor/validate.hpp"
#include "base/java_hash.hpp"

namespace weir::assignor::test {

/// Subtopology id -> partition -> sum of the changelog offsets (or end offsets) of that task.
using offset_sums = std::map<std::string, std::map<std::int32_t, std::int64_t>, std::less<>>;

struct owned_member {
  std::string id;
  std::string process;
  task_set active = {};
  task_set standby = {};
  offset_sums offsets = {};
  task_set warmup = {};
  offset_sums end_offsets = {};
  task_set revoking = {};
  tag_map tags = {};
  std::string rack = {};
  bool reports_offsets = true;
};

struct owned_subtopology {
  std::string id;
  std::int32_t tasks = 0;
  bool stateful = true;
  partition_racks racks = {};
};

struct owned_group {
  std::vector<owned_member> members;
  std::vector<owned_subtopology> subtopologies;
  std::int32_t standby_replicas = 0;
  std::vector<std::string> rack_aware_tags = {};
  std::int32_t warmup_replicas = 2;
  std::int64_t acceptable_recovery_lag = 10'000;
  std::int32_t failover_slack = 0;
  bool keep_old_standbys = false;

  [[nodiscard]] group_input input() const {
    group_input lent;
    for (const auto& subtopology : subtopologies) {
      lent.subtopologies.push_back({subtopology.id, subtopology.tasks, subtopology.stateful,
                                    subtopology.racks.empty() ? nullptr : &subtopology.racks});
    }
    std::ranges::stable_sort(lent.subtopologies, {}, &subtopology_input::id);
    const task_numbers numbers(lent.subtopologies);
    for (const auto& member : members) lend(member, numbers, lent);
    lent.standby_replicas = standby_replicas;
    lent.rack_aware_tags = rack_aware_tags;
    lent.warmup_replicas = warmup_replicas;
    lent.acceptable_recovery_lag = acceptable_recovery_lag;
    lent.failover_slack = failover_slack;
    lent.keep_old_standbys = keep_old_standbys;
    return lent;
  }

  static void lend(const owned_member& member, const task_numbers& numbers, group_input& to) {
    member_input entry;
    entry.member_id = member.id;
    if (!member.rack.empty()) entry.rack_id = member.rack;
    entry.process_id = member.process;
    entry.member_hash = java_hash(member.id);
    entry.process_hash = java_hash(member.process);
    entry.client_tags = &member.tags;
    const auto gone = [&](task_role role) {
      return [&, role](std::string_view subtopology_id, std::int32_t partition) {
        to.gone.push_back({member.id, role, subtopology_id, partition});
      };
    };
    const auto ignored = [](std::string_view, std::int32_t) {};
    entry.active = numbers.append(member.active, to.tasks, gone(task_role::active));
    entry.standby = numbers.append(member.standby, to.tasks, gone(task_role::standby));
    entry.warmup = numbers.append(member.warmup, to.tasks, ignored);
    entry.revoking = numbers.append(member.revoking, to.tasks, ignored);
    entry.task_offsets = numbers.append_sums(member.offsets, to.offsets);
    entry.task_end_offsets = numbers.append_sums(member.end_offsets, to.offsets);
    entry.reports_offsets = member.reports_offsets;
    to.members.push_back(entry);
  }

  /// The members now hold what the plan gives them.
  void hold(const plan& held) {
    for (auto& member : members) {
      const auto found = held.find(member.id);
      member.active = found == held.end() ? task_set{} : found->second.active;
      member.standby = found == held.end() ? task_set{} : found->second.standby;
      member.warmup.clear();
    }
  }

  /// Likewise for a complete step on the way.
  void hold(const interim& held) {
    for (auto& member : members) {
      const auto& tasks = held.members.at(member.id);
      member.active = tasks.active;
      member.standby = tasks.standby;
      member.warmup = tasks.warmup;
    }
  }

  [[nodiscard]] owned_member& member(const std::string& member_id) {
    return *std::find_if(members.begin(), members.end(), [&](const auto& entry) { return entry.id == member_id; });
  }

  void leave(const std::string& member_id) {
    std::erase_if(members, [&](const owned_member& member) { return member.id == member_id; });
  }
};

/// The step with everybody's part in it, also of those who are to hold what the target says.
inline interim complete(interim step, const plan& target, const owned_group& group) {
  for (const auto& [id, tasks] : target) step.members.try_emplace(id, interim_tasks{tasks.active, tasks.standby, {}});
  for (const auto& member : group.members) step.members.try_emplace(member.id);
  return step;
}

/// What the assignor gives the group, with names.
inline result<plan> assigned(const assignor& chosen, const owned_group& group) {
  const auto input = group.input();
  auto made = checked_assign(chosen, input);
  if (!made) return tl::unexpected(made.error());
  return named(*made, input);
}

/// A step towards a target with names. What it leaves out gets nothing.
inline result<interim> refine_to(plan target, const group_input& input) {
  for (const auto& member : input.members) target.try_emplace(std::string(member.member_id));
  auto flat = numbered(target, input);
  if (!flat) return tl::unexpected(flat.error());
  return refine(*flat, input);
}

inline std::int64_t count(const task_set& tasks) {
  std::int64_t total = 0;
  for (const auto& [subtopology, partitions] : tasks) total += static_cast<std::int64_t>(partitions.size());
  return total;
}

inline bool contains(const task_set& tasks, const std::string& subtopology, std::int32_t partition) {
  const auto found = tasks.find(subtopology);
  return found != tasks.end() && found->second.contains(partition);
}

}  // namespace weir::assignor::test
