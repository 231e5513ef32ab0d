// A streams group as the assignor sees it, owning its strings and maps: what tests build and change. input() lends it
// out as the borrowed group_input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assignor/assignor.hpp"
#include "assignor/refine.hpp"

namespace weir::assignor::test {

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
    for (const auto& member : members) lent.members.push_back(lend(member));
    for (const auto& subtopology : subtopologies) {
      lent.subtopologies.push_back({subtopology.id, subtopology.tasks, subtopology.stateful,
                                    subtopology.racks.empty() ? nullptr : &subtopology.racks});
    }
    lent.standby_replicas = standby_replicas;
    lent.rack_aware_tags = rack_aware_tags;
    lent.warmup_replicas = warmup_replicas;
    lent.acceptable_recovery_lag = acceptable_recovery_lag;
    lent.failover_slack = failover_slack;
    lent.keep_old_standbys = keep_old_standbys;
    return lent;
  }

  [[nodiscard]] static member_input lend(const owned_member& member) {
    member_input entry;
    entry.member_id = member.id;
    if (!member.rack.empty()) entry.rack_id = member.rack;
    entry.process_id = member.process;
    entry.client_tags = &member.tags;
    entry.active = &member.active;
    entry.standby = &member.standby;
    entry.warmup = &member.warmup;
    entry.task_offsets = &member.offsets;
    entry.task_end_offsets = &member.end_offsets;
    entry.revoking = &member.revoking;
    entry.reports_offsets = member.reports_offsets;
    return entry;
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
