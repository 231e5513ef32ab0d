#include "tests/property/sticky_invariants.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace weir::assignor::test {

namespace {

using task = std::pair<std::string, std::int32_t>;

struct copies {
  std::int32_t active = 0;
  std::int32_t standby = 0;
  std::multiset<std::string> processes;
};

std::map<task, copies> copies_of(const plan& made, const owned_group& group) {
  std::map<task, copies> all;
  const auto add = [&](const task_set& tasks, const std::string& process, std::int32_t copies::*role) {
    for (const auto& [subtopology, partitions] : tasks) {
      for (const auto partition : partitions) {
        auto& found = all[{subtopology, partition}];
        ++(found.*role);
        found.processes.insert(process);
      }
    }
  };
  for (const auto& member : group.members) {
    const auto& held = made.at(member.id);
    add(held.active, member.process, &copies::active);
    add(held.standby, member.process, &copies::standby);
  }
  return all;
}

std::int32_t process_count(const owned_group& group) {
  std::set<std::string> processes;
  for (const auto& member : group.members) processes.insert(member.process);
  return static_cast<std::int32_t>(processes.size());
}

std::string broken_members(const plan& made, const owned_group& group) {
  std::set<std::string> members;
  for (const auto& member : group.members) members.insert(member.id);
  for (const auto& [member, tasks] : made) {
    if (members.erase(member) == 0) return "S3: a stranger in the plan";
  }
  return members.empty() ? "" : "S3: a member is missing";
}

std::string broken_balance(const plan& made, const owned_group& group) {
  const auto members = static_cast<std::int64_t>(group.members.size());
  const auto ceil = (task_count(group) + members - 1) / members;
  for (const auto& [member, active] : active_per_member(made)) {
    if (active > ceil) return "S7: " + member + " has more than ceil(T / M) active tasks";
  }
  std::map<std::string, double> threads;
  for (const auto& member : group.members) threads[member.process] += 1;
  std::vector<double> loads;
  for (const auto& [process, active] : active_per_process(made, group)) {
    loads.push_back(static_cast<double>(active) / threads[process]);
  }
  const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
  return *most - *least > 1.0 + 1e-9 ? "S8: active tasks per thread differ by more than 1" : "";
}

// Earlier active tasks of each member that still exist.
std::map<std::string, std::vector<task>> earlier_active(const owned_group& group) {
  std::map<std::string, std::vector<task>> earlier;
  for (const auto& member : group.members) {
    auto& tasks = earlier[member.id];
    for (const auto& subtopology : group.subtopologies) {
      const auto found = member.active.find(subtopology.id);
      if (found == member.active.end()) continue;
      for (const auto partition : found->second) {
        if (partition < subtopology.tasks) tasks.emplace_back(subtopology.id, partition);
      }
    }
  }
  return earlier;
}

std::string broken_stickiness(const plan& made, const owned_group& group) {
  const auto members = static_cast<std::int64_t>(group.members.size());
  const auto floor = task_count(group) / members;
  auto lost = active_lost(made, group);
  std::vector<std::int64_t> counts;
  std::int64_t lost_in_all = 0;
  for (const auto& [member, tasks] : earlier_active(group)) {
    const auto had = static_cast<std::int64_t>(tasks.size());
    if (had - lost[member] < std::min(had, floor)) return "S9: " + member + " keeps too little";
    counts.push_back(had);
    lost_in_all += lost[member];
  }
  std::sort(counts.rbegin(), counts.rend());
  std::int64_t unavoidable = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto allowed = floor + (static_cast<std::int64_t>(i) < task_count(group) % members ? 1 : 0);
    unavoidable += std::max<std::int64_t>(0, counts[i] - allowed);
  }
  return lost_in_all > unavoidable ? "S10: more active tasks taken than necessary" : "";
}

void print_tasks(std::ostream& out, const char* name, const task_set& tasks) {
  out << ", \"" << name << "\": {";
  for (auto entry = tasks.begin(); entry != tasks.end(); ++entry) {
    out << (entry == tasks.begin() ? "" : ", ") << '"' << entry->first << "\": [";
    const char* comma = "";
    for (const auto partition : entry->second) out << std::exchange(comma, ", ") << partition;
    out << ']';
  }
  out << '}';
}

void print_offsets(std::ostream& out, const offset_sums& offsets) {
  out << ", \"taskOffsets\": {";
  for (auto entry = offsets.begin(); entry != offsets.end(); ++entry) {
    out << (entry == offsets.begin() ? "" : ", ") << '"' << entry->first << "\": {";
    const char* comma = "";
    for (const auto& [partition, offset] : entry->second) {
      out << std::exchange(comma, ", ") << '"' << partition << "\": " << offset;
    }
    out << '}';
  }
  out << '}';
}

}  // namespace

std::string broken_copies(const plan& made, const owned_group& group) {
  if (auto broken = broken_members(made, group); !broken.empty()) return broken;
  auto all = copies_of(made, group);
  for (const auto& subtopology : group.subtopologies) {
    const auto wanted = subtopology.stateful ? std::min(group.standby_replicas, process_count(group) - 1) : 0;
    for (std::int32_t partition = 0; partition < subtopology.tasks; ++partition) {
      const auto found = all.extract({subtopology.id, partition});
      if (found.empty() || found.mapped().active != 1) return "S1: not exactly one active";
      if (found.mapped().standby > 0 && !subtopology.stateful) return "S4: standby of a stateless task";
      if (found.mapped().standby != wanted) return "S6: number of standbys";
      const auto& processes = found.mapped().processes;
      if (std::adjacent_find(processes.begin(), processes.end()) != processes.end()) return "S5: twice in a process";
    }
  }
  return all.empty() ? "" : "S2: task outside the topology";
}

std::string broken_invariant(const plan& made, const owned_group& group) {
  if (auto broken = broken_copies(made, group); !broken.empty()) return broken;
  if (auto broken = broken_balance(made, group); !broken.empty()) return broken;
  return broken_stickiness(made, group);
}

std::map<std::string, std::int64_t> active_per_member(const plan& made) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [member, tasks] : made) counts[member] = count(tasks.active);
  return counts;
}

std::map<std::string, std::int64_t> active_per_process(const plan& made, const owned_group& group) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& member : group.members) counts[member.process] += count(made.at(member.id).active);
  return counts;
}

std::int64_t task_count(const owned_group& group) {
  std::int64_t tasks = 0;
  for (const auto& subtopology : group.subtopologies) tasks += subtopology.tasks;
  return tasks;
}

std::map<std::string, std::int64_t> active_lost(const plan& made, const owned_group& group) {
  std::map<std::string, std::int64_t> lost;
  for (const auto& [member, tasks] : earlier_active(group)) {
    const auto& active = made.at(member).active;
    lost[member] = std::count_if(tasks.begin(), tasks.end(), [&](const task& had) {
      return !contains(active, had.first, had.second);
    });
  }
  return lost;
}

std::string to_scenario(const owned_group& group) {
  std::ostringstream out;
  out << R"({"numStandbyReplicas": )" << group.standby_replicas << R"(, "subtopologies": [)";
  const char* comma = "";
  for (const auto& subtopology : group.subtopologies) {
    out << std::exchange(comma, ", ") << R"({"id": ")" << subtopology.id << R"(", "tasks": )" << subtopology.tasks
        << R"(, "stateful": )" << (subtopology.stateful ? "true}" : "false}");
  }
  out << R"(], "members": [)";
  comma = "";
  for (const auto& member : group.members) {
    out << std::exchange(comma, ", ") << R"({"memberId": ")" << member.id << R"(", "processId": ")" << member.process
        << '"';
    print_tasks(out, "activeTasks", member.active);
    print_tasks(out, "standbyTasks", member.standby);
    print_offsets(out, member.offsets);
    out << '}';
  }
  out << "]}";
  return out.str();
}

}  // namespace weir::assignor::test
