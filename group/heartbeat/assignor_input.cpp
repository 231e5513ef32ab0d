#include "group/heartbeat/assignor_input.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/java_hash.hpp"
#include "group/heartbeat/interim.hpp"

namespace weir::group {
namespace {

bool runs_older(const member_metadata& metadata, const target_basis& basis, const world& world);
void add_subtopologies(const configured_topology* configured, assignor_input& to);
void add_members(const membership& members, const target_basis& basis, const world& world, assignor_input& to);
void add_racks(const configured_topology* configured, const metadata::image& image, assignor_input& to);
void add_configs(const std::map<std::string, std::string>& configs, assignor_input& to);
void add_warm_up(const membership& members, const world& world, assignor_input& to);

}  // namespace

assignor_input input_for_assignor(const membership& members, const target_basis& basis, const world& world) {
  assignor_input made;
  add_subtopologies(basis.configured, made);
  add_members(members, basis, world, made);
  add_warm_up(members, world, made);
  add_racks(basis.configured, world.image, made);
  add_configs(basis.assignment_configs, made);
  return made;
}

const current_assignment& current_of(const membership& members, std::string_view id) {
  static const current_assignment nothing;
  if (members.metadata != nullptr && id == members.member_id) return *members.current;
  const auto found = members.group.members.find(id);
  return found == members.group.members.end() ? nothing : found->second.current;
}

std::optional<assignor::group_input> without_drained(const assignor::group_input& all, const group_config& config) {
  if (config.drained_processes.empty()) return std::nullopt;
  auto remaining = all;
  std::erase_if(remaining.members, [&](const auto& m) { return config.drained_processes.contains(m.process_id); });
  if (remaining.members.empty() || remaining.members.size() == all.members.size()) return std::nullopt;
  return remaining;
}

namespace {

const member_soft* soft_of(const membership& members, std::string_view id) {
  const auto& known = members.group.soft.members;
  auto found = known.find(id);
  return found == known.end() ? nullptr : &found->second;
}

/// The tasks that exist in numbers, the others as gone.
template <class Tasks>
assignor::slice add_tasks(const Tasks& tasks, std::string_view member_id, assignor::task_role role,
                          assignor_input& to) {
  return to.numbers.append(tasks, to.input.tasks, [&](std::string_view subtopology_id, std::int32_t partition) {
    to.input.gone.push_back({member_id, role, subtopology_id, partition});
  });
}

/// Those that exist.
template <class Tasks>
assignor::slice add_existing(const Tasks& tasks, assignor_input& to) {
  return to.numbers.append(tasks, to.input.tasks, [](std::string_view, std::int32_t) {});
}

/// A member as it is after this heartbeat. `now`: this heartbeat is its own.
struct present_member {
  std::string_view id;
  std::int32_t id_hash;
  const member_metadata& metadata;
  std::int32_t process_hash;
  const current_assignment& current;
  const membership* now;
};

void add_member(const present_member& present, assignor_input& to) {
  const auto id = present.id;
  const auto& metadata = present.metadata;
  const auto& current = present.current;
  auto& member = to.input.members.emplace_back();
  member.member_id = id;
  member.member_hash = present.id_hash;
  member.process_hash = present.process_hash;
  member.instance_id = metadata.instance_id;
  member.rack_id = metadata.rack_id;
  member.process_id = metadata.process_id;
  member.client_tags = &metadata.client_tags;
  member.active = add_tasks(current.assigned.active, id, assignor::task_role::active, to);
  member.standby = add_tasks(current.assigned.standby, id, assignor::task_role::standby, to);
  member.warmup = add_existing(current.assigned.warmup, to);
  member.revoking = add_existing(current.pending_revocation.active, to);
}

/// The last report of the member that was added last; `now`: this heartbeat's.
void add_offsets(const member_soft* soft, const membership* now, assignor_input& to) {
  const auto* offsets = soft == nullptr ? nullptr : &soft->offsets.get();
  const auto* end_offsets = soft == nullptr ? nullptr : &soft->end_offsets.get();
  if (now != nullptr && now->offsets != nullptr) offsets = now->offsets;
  if (now != nullptr && now->end_offsets != nullptr) end_offsets = now->end_offsets;
  auto& member = to.input.members.back();
  if (offsets != nullptr) member.task_offsets = to.numbers.append_sums(*offsets, to.input.offsets);
  if (end_offsets != nullptr) member.task_end_offsets = to.numbers.append_sums(*end_offsets, to.input.offsets);
}

void add_members(const membership& members, const target_basis& basis, const world& world, assignor_input& to) {
  to.input.members.reserve(members.group.members.size() + 1);
  const auto add = [&](const present_member& present) {
    if (runs_older(present.metadata, basis, world)) {
      to.stale.push_back(present.id);
      return;
    }
    add_member(present, to);
    to.soft.push_back(soft_of(members, present.id));
    add_offsets(to.soft.back(), present.now, to);
  };
  const auto add_caller = [&] {
    if (members.metadata == nullptr) return;
    const auto& metadata = *members.metadata;
    add({members.member_id, java_hash(members.member_id), metadata, java_hash(metadata.process_id), *members.current,
         &members});
  };
  bool is_stored = false;
  for (const auto& [id, member] : members.group.members) {
    if (id == members.member_id) {
      is_stored = true;
      add_caller();
    } else if (members.replaced_id == nullptr || id != *members.replaced_id) {
      add({id, member.id_hash, member.metadata, member.process_hash, member.current, nullptr});
    }
  }
  if (!is_stored) add_caller();  // a newcomer comes last: Kafka visits members of one hash bucket in this order
}

/// Who reports offsets. As long as nobody in the group ever did and nobody warms up, nobody is waited for; else a
/// member has one offset interval to send its first report.
void add_warm_up(const membership& members, const world& world, assignor_input& to) {
  to.input.warmup_replicas = world.config.num_warmup_replicas;
  to.input.acceptable_recovery_lag = world.config.acceptable_recovery_lag;
  to.input.failover_slack = world.config.assignor_failover_slack;
  to.input.keep_old_standbys = world.config.assignor_keep_old_standbys;
  const auto reports = [&](std::string_view id, const member_soft* soft) {
    return (soft != nullptr && soft->reports_offsets) || (members.reports() && id == members.member_id);
  };
  for (const auto id : to.stale) {
    to.input.warmups_elsewhere += static_cast<std::int32_t>(count(current_of(members, id).assigned.warmup));
  }
  bool any = std::ranges::any_of(to.stale, [&](auto id) {
    return reports(id, soft_of(members, id)) || !current_of(members, id).assigned.warmup.empty();
  });
  auto& all = to.input.members;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].reports_offsets = reports(all[i].member_id, to.soft[i]);
    any = any || all[i].reports_offsets || !all[i].warmup.empty();
  }
  for (auto& m : all) {
    const auto is_waited_for = [&] { return world.now_ms < first_report_due_ms(members.group, m.member_id, world); };
    m.reports_offsets = m.reports_offsets || (any && is_waited_for());
  }
}

bool runs_older(const member_metadata& metadata, const target_basis& basis, const world& world) {
  return !world.strict_kafka && basis.configured != nullptr &&
         metadata.topology_epoch < basis.configured->topology_epoch;
}

/// Partition -> the racks with replicas of most of the partitions that the task reads.
assignor::partition_racks racks_of(const configured_subtopology& part, const metadata::image& image) {
  assignor::partition_racks racks(static_cast<std::size_t>(part.tasks));
  std::vector<const metadata::topic*> sources;
  for (const auto& name : part.source_topics) sources.push_back(image.find(name));
  for (const auto& [name, unused] : part.repartition_sources) sources.push_back(image.find(name));
  for (std::size_t task = 0; task < racks.size(); ++task) {
    std::map<std::string_view, std::size_t> replicas;
    std::size_t most = 0;
    for (const auto* source : sources) {
      if (source == nullptr || task >= source->partition_racks.size()) continue;
      const auto& named = source->partition_racks[task];
      for (const auto& rack : std::set<std::string_view>(named.begin(), named.end())) {
        most = std::max(most, ++replicas[rack]);
      }
    }
    for (const auto& [rack, count] : replicas) {
      if (count == most) racks[task].emplace_back(rack);
    }
  }
  return racks;
}

void add_subtopologies(const configured_topology* configured, assignor_input& to) {
  if (configured == nullptr || !configured->ready()) return;
  to.input.subtopologies.reserve(configured->subtopologies->size());
  for (const auto& [id, part] : *configured->subtopologies) {
    to.input.subtopologies.push_back({.id = id, .tasks = part.tasks, .stateful = part.stateful()});
  }
  to.numbers = assignor::task_numbers(to.input.subtopologies);
}

/// Nothing if no member says where it stands.
void add_racks(const configured_topology* configured, const metadata::image& image, assignor_input& to) {
  const bool has_racks = std::ranges::any_of(to.input.members, [](const auto& m) { return m.rack_id.has_value(); });
  if (!has_racks || to.input.subtopologies.empty()) return;
  auto subtopology = to.input.subtopologies.begin();
  for (const auto& [id, part] : *configured->subtopologies) {
    subtopology->racks = &to.racks.emplace_back(racks_of(part, image));
    ++subtopology;
  }
}

/// The values recorded with the group epoch, so that a wake-up decides from what the last bump decided from.
void add_configs(const std::map<std::string, std::string>& configs, assignor_input& to) {
  if (auto standbys = configs.find("num.standby.replicas"); standbys != configs.end()) {
    const auto& digits = standbys->second;
    std::from_chars(digits.data(), digits.data() + digits.size(), to.input.standby_replicas);
  }
  auto tags = configs.find("rack.aware.assignment.tags");
  if (tags == configs.end()) return;
  for (std::string_view rest = tags->second; !rest.empty();) {
    const auto comma = rest.find(',');
    to.input.rack_aware_tags.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
}

}  // namespace
}  // namespace weir::group
