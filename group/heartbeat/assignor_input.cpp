#include "group/heartbeat/assignor_input.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "group/heartbeat/interim.hpp"

namespace weir::group {
namespace {

void add_members(const membership& members, assignor_input& to);
void set_aside_stale(const membership& members, std::int32_t topology_epoch, assignor_input& from);
void add_subtopologies(const configured_topology* configured, const metadata::image& image, assignor_input& to);
void add_configs(const std::map<std::string, std::string>& configs, assignor_input& to);
void add_warm_up(const membership& members, const world& world, assignor_input& to);

}  // namespace

assignor_input input_for_assignor(const membership& members, const target_basis& basis, const world& world) {
  assignor_input made;
  add_members(members, made);
  add_warm_up(members, world, made);
  if (!world.strict_kafka && basis.configured != nullptr) {
    set_aside_stale(members, basis.configured->topology_epoch, made);
  }
  add_subtopologies(basis.configured, world.image, made);
  add_configs(basis.assignment_configs, made);
  return made;
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

void add_member(std::string_view id, const member_metadata& metadata, const current_assignment& current,
                const member_soft* soft, assignor_input& to) {
  auto& part = to.parts.emplace_back();
  part.active = without_epochs(current.assigned.active);
  part.revoking = without_epochs(current.pending_revocation.active);
  part.tags.insert(metadata.client_tags.begin(), metadata.client_tags.end());
  to.input.members.push_back({
      .member_id = id,
      .instance_id = metadata.instance_id,
      .rack_id = metadata.rack_id,
      .process_id = metadata.process_id,
      .client_tags = &part.tags,
      .active = &part.active,
      .standby = &current.assigned.standby,
      .warmup = &current.assigned.warmup,
      .task_offsets = soft == nullptr ? nullptr : &soft->offsets,
      .task_end_offsets = soft == nullptr ? nullptr : &soft->end_offsets,
      .revoking = &part.revoking,
  });
}

void add_members(const membership& members, assignor_input& to) {
  const auto add_caller = [&] {
    if (members.metadata == nullptr) return;
    add_member(members.member_id, *members.metadata, *members.current, soft_of(members, members.member_id), to);
    auto& caller = to.input.members.back();
    if (members.offsets != nullptr) caller.task_offsets = members.offsets;
    if (members.end_offsets != nullptr) caller.task_end_offsets = members.end_offsets;
  };
  bool is_stored = false;
  for (const auto& [id, member] : members.group.members) {
    if (id == members.member_id) {
      is_stored = true;
      add_caller();
    } else if (members.replaced_id == nullptr || id != *members.replaced_id) {
      add_member(id, member.metadata, member.current, soft_of(members, id), to);
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
  const auto reports = [&](const assignor::member_input& m) {
    if (m.member_id == members.member_id && members.reports()) return true;
    const auto* soft = soft_of(members, m.member_id);
    return soft != nullptr && soft->reports_offsets;
  };
  auto& all = to.input.members;
  const bool any = std::ranges::any_of(all, [&](const auto& m) { return reports(m) || !m.warmup->empty(); });
  for (auto& m : all) {
    m.reports_offsets = reports(m) || (any && world.now_ms < first_report_due_ms(members.group, m.member_id, world));
  }
}

const member_metadata& metadata_of(const membership& members, std::string_view id) {
  if (members.metadata != nullptr && id == members.member_id) return *members.metadata;
  return members.group.members.find(id)->second.metadata;
}

void set_aside_stale(const membership& members, std::int32_t topology_epoch, assignor_input& from) {
  std::erase_if(from.input.members, [&](const assignor::member_input& m) {
    const bool is_old = metadata_of(members, m.member_id).topology_epoch < topology_epoch;
    if (is_old) from.stale.push_back(m);
    return is_old;
  });
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

void add_subtopologies(const configured_topology* configured, const metadata::image& image, assignor_input& to) {
  if (configured == nullptr || !configured->ready()) return;
  const bool has_racks = std::ranges::any_of(to.input.members, [](const auto& m) { return m.rack_id.has_value(); });
  for (const auto& [id, part] : *configured->subtopologies) {
    to.input.subtopologies.push_back({.id = id, .tasks = part.tasks, .stateful = part.stateful()});
    if (has_racks) to.input.subtopologies.back().racks = &to.racks.emplace_back(racks_of(part, image));
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
