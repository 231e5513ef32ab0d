#include "group/heartbeat/holders.hpp"

namespace weir::group {
namespace {

void hold_active(holders& held, const std::string& process_id, const task_epochs& tasks) {
  for (const auto& [subtopology, partitions] : tasks) {
    if (partitions.empty()) continue;
    auto& owners = held.active[subtopology];
    for (const auto& [partition, epoch] : partitions) {
      auto [owner, is_new] = owners.insert_or_assign(partition, process_id);
      if (is_new) ++held.entries;
      ++held.holdings;
    }
  }
}

template <class Replicas>
void hold_replicas(holders& held, Replicas& replicas, const std::string& process_id, const task_set& tasks) {
  for (const auto& [subtopology, partitions] : tasks) {
    if (partitions.empty()) continue;
    auto& owners = replicas[subtopology];
    for (auto partition : partitions) {
      if (owners[partition].insert(process_id).second) ++held.entries;
      ++held.holdings;
    }
  }
}

void release_active(holders& held, const task_epochs& tasks) {
  for (const auto& [subtopology, partitions] : tasks) {
    if (partitions.empty()) continue;
    auto owners = held.active.find(subtopology);
    for (const auto& [partition, epoch] : partitions) {
      held.entries -= owners->second.erase(partition);
      --held.holdings;
    }
    if (owners->second.empty()) held.active.erase(owners);
  }
}

template <class Replicas>
void release_replicas(holders& held, Replicas& replicas, const std::string& process_id, const task_set& tasks) {
  for (const auto& [subtopology, partitions] : tasks) {
    if (partitions.empty()) continue;
    auto owners = replicas.find(subtopology);
    for (auto partition : partitions) {
      auto processes = owners->second.find(partition);
      held.entries -= processes->second.erase(process_id);
      --held.holdings;
      if (processes->second.empty()) owners->second.erase(processes);
    }
    if (owners->second.empty()) replicas.erase(owners);
  }
}

}  // namespace

void hold(holders& held, const std::string& process_id, const current_assignment& current) {
  for (const auto* tasks : {&current.assigned, &current.pending_revocation}) {
    hold_active(held, process_id, tasks->active);
    hold_replicas(held, held.standby, process_id, tasks->standby);
    hold_replicas(held, held.warmup, process_id, tasks->warmup);
  }
}

void release(holders& held, const std::string& process_id, const current_assignment& current) {
  for (const auto* tasks : {&current.assigned, &current.pending_revocation}) {
    release_active(held, tasks->active);
    release_replicas(held, held.standby, process_id, tasks->standby);
    release_replicas(held, held.warmup, process_id, tasks->warmup);
  }
}

bool is_exclusive(const holders& held) noexcept { return held.entries == held.holdings; }

holders held_by(const std::map<std::string, member, std::less<>>& members) {
  holders held;
  for (const auto& [id, member] : members) hold(held, member.metadata.process_id, member.current);
  return held;
}

}  // namespace weir::group
