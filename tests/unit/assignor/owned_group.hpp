// A streams group as the assignor sees it, owning its strings and maps: what tests build and change. input() lends it
// out as the borrowed group_input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assignor/assignor.hpp"

namespace weir::assignor::test {

struct owned_member {
  std::string id;
  std::string process;
  task_set active = {};
  task_set standby = {};
  offset_sums offsets = {};
};

struct owned_subtopology {
  std::string id;
  std::int32_t tasks = 0;
  bool stateful = true;
};

struct owned_group {
  std::vector<owned_member> members;
  std::vector<owned_subtopology> subtopologies;
  std::int32_t standby_replicas = 0;

  [[nodiscard]] group_input input() const {
    group_input lent;
    for (const auto& member : members) {
      member_input entry;
      entry.member_id = member.id;
      entry.process_id = member.process;
      entry.active = &member.active;
      entry.standby = &member.standby;
      entry.task_offsets = &member.offsets;
      lent.members.push_back(entry);
    }
    for (const auto& subtopology : subtopologies) {
      lent.subtopologies.push_back({subtopology.id, subtopology.tasks, subtopology.stateful});
    }
    lent.standby_replicas = standby_replicas;
    return lent;
  }

  /// The members now hold what the plan gives them.
  void hold(const plan& held) {
    for (auto& member : members) {
      const auto found = held.find(member.id);
      member.active = found == held.end() ? task_set{} : found->second.active;
      member.standby = found == held.end() ? task_set{} : found->second.standby;
    }
  }

  void leave(const std::string& member_id) {
    std::erase_if(members, [&](const owned_member& member) { return member.id == member_id; });
  }
};

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
