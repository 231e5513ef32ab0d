#include "cli/import_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "assignor/dense_group.hpp"
#include "group/streams_group.hpp"
#include "group/topology/validate.hpp"

namespace weir::cli {
namespace {

/// What is wrong, if anything.
using broken = std::optional<std::string>;

constexpr std::int32_t static_member_away = -2;  // spec 04, E14

broken of_record(std::int16_t type, const std::string& what) {
  return fmt::format("record of type {}: {}", type, what);
}

broken of_member(std::int16_t type, const std::string& member_id, const std::string& what) {
  return fmt::format("record of type {}, member '{}': {}", type, member_id, what);
}

/// Epochs are 32 bits, and never go back.
constexpr std::int32_t group_epoch_max = 2'000'000'000;

/// Spec 04, 2.2. An assignment epoch above the group's can come of a failed write in Kafka; a start repairs it.
broken check_epochs(const group::streams_group& group) {
  constexpr std::int16_t metadata_type = 17;
  constexpr std::int16_t target_type = 20;
  const auto& metadata = group.metadata;
  if (metadata.epoch < 0) return of_record(metadata_type, fmt::format("group epoch {} is negative", metadata.epoch));
  if (metadata.epoch > group_epoch_max) {
    return of_record(metadata_type, fmt::format("group epoch {} leaves no room for others: {} is the most",
                                                metadata.epoch, group_epoch_max));
  }
  if (metadata.validated_topology_epoch < -1) {
    return of_record(metadata_type,
                     fmt::format("validated topology epoch {} is below -1", metadata.validated_topology_epoch));
  }
  const auto described = std::min(metadata.stored_description_epoch, metadata.failed_description_epoch);
  if (described < -2) return of_record(metadata_type, fmt::format("description epoch {} is below -2", described));
  const auto assignment = group.target_info.assignment_epoch;
  if (assignment < 0) return of_record(target_type, fmt::format("assignment epoch {} is negative", assignment));
  return std::nullopt;
}

/// At least so many: a fixed repartition topic is read by a task for each partition.
std::int64_t tasks_at_least(const group::topology& topology) {
  std::int64_t tasks = 0;
  for (const auto& part : topology.subtopologies) {
    std::int32_t partitions = 0;
    for (const auto& topic : part.repartition_source_topics) partitions = std::max(partitions, topic.partitions);
    tasks += partitions;
  }
  return tasks;
}

broken check_topology(const group::streams_group& group) {
  constexpr std::int16_t type = 23;
  if (!group.topology) return std::nullopt;
  if (group.topology->epoch < 0) {
    return of_record(type, fmt::format("topology epoch {} is negative", group.topology->epoch));
  }
  if (const auto fault = group::check_structure(*group.topology, false)) return of_record(type, fault->message);
  const auto tasks = tasks_at_least(*group.topology);
  if (tasks <= assignor::task_copies_max) return std::nullopt;
  return of_record(type, fmt::format("{} tasks or more; {} are allowed", tasks, assignor::task_copies_max));
}

bool has_subtopology(const group::streams_group& group, std::string_view id) {
  if (!group.topology) return false;
  return std::ranges::any_of(group.topology->subtopologies, [&](const auto& part) { return part.id == id; });
}

std::int32_t partition_in(std::int32_t partition) { return partition; }
std::int32_t partition_in(const std::pair<const std::int32_t, std::int32_t>& task) { return task.first; }

/// `Tasks` is a task_set or task_epochs, both in the order of their partitions.
template <class Tasks>
broken check_tasks(const group::streams_group& group, const Tasks& tasks) {
  for (const auto& [id, partitions] : tasks) {
    if (partitions.empty()) continue;
    if (!has_subtopology(group, id)) return fmt::format("the topology has no subtopology '{}'", id);
    const auto least = partition_in(*partitions.begin());
    if (least < 0) return fmt::format("task {}_{} has a negative partition", id, least);
  }
  return std::nullopt;
}

template <class Roles>
broken check_roles(const group::streams_group& group, const Roles& roles) {
  if (auto bad = check_tasks(group, roles.active)) return bad;
  if (auto bad = check_tasks(group, roles.standby)) return bad;
  return check_tasks(group, roles.warmup);
}

/// Spec 01, appendix B. Kafka before 4.2 wrote none; a task then has the member's epoch, whatever that is.
broken check_assignment_epochs(const group::task_epochs& tasks, std::int32_t member_epoch, std::int32_t group_epoch) {
  for (const auto& [id, partitions] : tasks) {
    for (const auto& [partition, epoch] : partitions) {
      if (epoch == member_epoch || (epoch >= 0 && epoch <= group_epoch)) continue;
      return fmt::format("assignment epoch {} of task {}_{} is not between 0 and group epoch {}", epoch, id, partition,
                         group_epoch);
    }
  }
  return std::nullopt;
}

broken check_current(const group::streams_group& group, const group::current_assignment& current) {
  const auto most = group.metadata.epoch;
  const auto epoch = current.member_epoch;
  if (epoch < 0 && epoch != static_member_away) return fmt::format("member epoch {} is negative", epoch);
  if (epoch > most) return fmt::format("member epoch {} is above group epoch {}", epoch, most);
  if (current.previous_member_epoch > most) {
    return fmt::format("previous member epoch {} is above group epoch {}", current.previous_member_epoch, most);
  }
  for (const auto* tasks : {&current.assigned, &current.pending_revocation}) {
    if (auto bad = check_roles(group, *tasks)) return bad;
    if (auto bad = check_assignment_epochs(tasks->active, epoch, most)) return bad;
  }
  return std::nullopt;
}

broken check_holdings(const group::streams_group& group) {
  constexpr std::int16_t target_type = 21;
  constexpr std::int16_t current_type = 22;
  for (const auto& [id, target] : group.targets) {
    if (auto bad = check_roles(group, target)) return of_member(target_type, id, *bad);
  }
  for (const auto& [id, member] : group.members) {
    if (auto bad = check_current(group, member.current)) return of_member(current_type, id, *bad);
  }
  return std::nullopt;
}

}  // namespace

result<std::vector<std::string>> check_rules(const storage::folded_group& imported) {
  group::streams_group group;
  group.id = imported.id;
  for (const auto& record : imported.records) group::apply(group, record);
  if (group.kind != group::group_kind::streams) return std::vector<std::string>();
  auto bad = check_epochs(group);
  if (!bad) bad = check_topology(group);
  std::vector<std::string> repairs;
  if (!bad) {
    repairs = group::finish_load(group, group::group_config(), 0);  // as a start does
    bad = check_holdings(group);
  }
  if (bad) return fail(fmt::format("group '{}', {}", imported.id, *bad));
  return repairs;
}

}  // namespace weir::cli
