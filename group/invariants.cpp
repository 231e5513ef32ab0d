#include "group/invariants.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/java_hash.hpp"
#include "group/heartbeat/holders.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

using problems = std::vector<std::string>;
void check_kind(const streams_group& group, problems& found);
void check_epochs(const streams_group& group, problems& found);
void check_validated(const streams_group& group, problems& found);
void check_members(const streams_group& group, problems& found);
void check_exclusive(const streams_group& group, problems& found);
void check_derived(const streams_group& group, problems& found);

}  // namespace

std::vector<std::string> check_invariants(const streams_group& group, bool is_whole) {
  problems found;
  check_kind(group, found);
  check_epochs(group, found);
  if (is_whole) check_validated(group, found);
  check_members(group, found);
  check_exclusive(group, found);
  check_derived(group, found);
  return found;
}

namespace {

void check_kind(const streams_group& group, problems& found) {
  if (group.kind == group_kind::streams) return;
  if (group.topology || !group.members.empty() || !group.targets.empty()) {
    found.push_back("a group that is no streams group has members, targets or a topology");
  }
  if (group.kind == group_kind::consumer) return;
  if ((group.kind == group_kind::simple) == group.offsets.empty()) {
    found.push_back("a simple group is one that has offsets and nothing else");
  }
}

void check_epochs(const streams_group& group, problems& found) {
  if (group.target_info.assignment_epoch > group.metadata.epoch) {
    found.push_back("assignment epoch above group epoch");
  }
}

void check_validated(const streams_group& group, problems& found) {
  const auto validated = group.metadata.validated_topology_epoch;
  if (validated != -1 && (!group.topology || group.topology->epoch != validated)) {
    found.push_back("validated topology epoch is neither -1 nor the topology's");
  }
}

template <class Tasks>
bool has_empty_entry(const Tasks& tasks) {
  return std::ranges::any_of(tasks, [](const auto& entry) { return entry.second.empty(); });
}

bool are_epochs_between(const task_epochs& tasks, std::int32_t low, std::int32_t high) {
  return std::ranges::all_of(tasks, [&](const auto& entry) {
    return std::ranges::all_of(entry.second,
                               [&](const auto& task) { return task.second >= low && task.second <= high; });
  });
}

void check_member(const streams_group& group, const std::string& id, const current_assignment& current,
                  problems& found) {
  const auto complain = [&](const std::string& what) { found.push_back("member " + id + ": " + what); };
  if (current.member_epoch < -2) complain("epoch below -2");
  if (current.member_epoch > group.metadata.epoch) complain("epoch above group epoch");
  const bool must_revoke = current.state == member_state::unrevoked_tasks;
  if (!must_revoke && !current.pending_revocation.empty()) complain("tasks pending revocation in a state without");
  for (const auto* tasks : {&current.assigned, &current.pending_revocation}) {
    if (has_empty_entry(tasks->active) || has_empty_entry(tasks->standby) || has_empty_entry(tasks->warmup)) {
      complain("entry without partitions");
    }
    if (!are_epochs_between(tasks->active, 0, group.metadata.epoch)) complain("assignment epoch out of range");
  }
}

void check_members(const streams_group& group, problems& found) {
  for (const auto& [id, member] : group.members) check_member(group, id, member.current, found);
  for (const auto& [id, target] : group.targets) {
    if (!group.members.contains(id)) found.push_back("target of unknown member " + id);
  }
  for (const auto& [id, soft] : group.soft.members) {
    if (!group.members.contains(id)) found.push_back("soft state of unknown member " + id);
  }
}

void check_exclusive(const streams_group& group, problems& found) {
  std::map<std::pair<std::string, std::int32_t>, std::string> owner;
  for (const auto& [id, member] : group.members) {
    for (const auto* tasks : {&member.current.assigned, &member.current.pending_revocation}) {
      for (const auto& [subtopology, partitions] : tasks->active) {
        for (const auto& [partition, epoch] : partitions) {
          auto [entry, first] = owner.try_emplace({subtopology, partition}, id);
          if (first) continue;
          found.push_back("active task " + task_name(subtopology, partition) + " at members " +
                          entry->second + " and " + id);
        }
      }
    }
  }
}

void check_derived(const streams_group& group, problems& found) {
  if (group.held != held_by(group.members)) found.push_back("holder maps differ from a recomputation");
  if (group.members_by_topology != count_versions(group.members)) {
    found.push_back("members by topology differ from a recomputation");
  }
  std::map<std::string, std::string, std::less<>> instances;
  for (const auto& [id, member] : group.members) {
    if (member.metadata.instance_id) instances[*member.metadata.instance_id] = id;
    if (member.id_hash != java_hash(id) || member.process_hash != java_hash(member.metadata.process_id)) {
      found.push_back("hashes of member " + id + " differ from a recomputation");
    }
  }
  if (instances != group.static_members) found.push_back("static members differ from a recomputation");
  const auto required = group.topology ? required_topics(*group.topology) : std::set<std::string>();
  if (required != group.required_topics) found.push_back("required topics differ from a recomputation");
  if (group.reads_patterns != (group.topology && reads_patterns(*group.topology))) {
    found.push_back("whether there are patterns differs from a recomputation");
  }
}

}  // namespace
}  // namespace weir::group
