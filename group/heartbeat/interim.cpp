#include "group/heartbeat/interim.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "assignor/refine.hpp"

namespace weir::group {
namespace {

refinement begin_with(const call& c, const membership& members);
bool is_due(const call& c, const refinement& so_far);
assignor::plan stored_targets(const membership& members, const assignor_input& input);
bool is_held(const membership& members, const interim_target& next);
void move_epoch(const call& c, const membership& members, const interim_target& next, epoch_plan& epoch);

}  // namespace

bool refines_targets(const streams_group& group, const world& world) noexcept {
  if (world.strict_kafka) return false;
  return world.config.num_warmup_replicas > 0 || (group.soft.interim != nullptr && group.soft.interim->waiting > 0);
}

const role_tasks* part_of(const interim_target* step, std::string_view member_id) noexcept {
  if (step == nullptr) return nullptr;
  const auto found = step->members.find(member_id);
  return found == step->members.end() ? nullptr : &found->second;
}

std::int64_t first_report_due_ms(const streams_group& group, std::string_view member_id, const world& world) noexcept {
  const auto found = group.soft.members.find(member_id);
  const bool is_known = found != group.soft.members.end() && found->second.first_heard_ms;
  return (is_known ? *found->second.first_heard_ms : world.now_ms) + world.config.task_offset_interval_ms;
}

std::shared_ptr<interim_target> freeze(const assignor::plan& target, const assignor_input& input,
                                       const membership& members, const world& world) {
  auto made = assignor::refine(target, input.input);
  if (!made) return nullptr;
  auto frozen = std::make_shared<interim_target>();
  for (auto& [id, tasks] : made->members) {
    frozen->members.try_emplace(frozen->members.end(), id,
                                role_tasks{.active = std::move(tasks.active),
                                           .standby = std::move(tasks.standby),
                                           .warmup = std::move(tasks.warmup)});
  }
  frozen->waiting = made->waiting.size();
  frozen->warmup_replicas = input.input.warmup_replicas;
  std::set<std::string_view> awaited;
  for (const auto& task : made->waiting) awaited.insert(task.member_id);
  for (const auto& m : input.input.members) {
    if (!awaited.contains(m.member_id)) continue;
    frozen->processes.emplace(m.process_id);
    const auto due_ms = first_report_due_ms(members.group, m.member_id, world);
    if (due_ms > world.now_ms) frozen->recheck_ms = std::min(frozen->recheck_ms.value_or(due_ms), due_ms);
  }
  return frozen;
}

refinement refine_further(const call& c, const membership& members, const topology_plan& topology, epoch_plan& epoch) {
  if (!refines_targets(c.group, c.world) || c.group.targets.empty()) return {};
  auto found = begin_with(c, members);
  const bool is_lost = found.interim == nullptr;
  const bool may_step = !epoch.is_bumped() && c.group.target_info.assignment_epoch == c.group.metadata.epoch;
  if (!topology.is_ready() || (!is_lost && !(may_step && is_due(c, found)))) return found;

  const auto input = input_for_assignor(members,
                                        {.configured = topology.configured.get(),
                                         .assignment_configs = c.group.metadata.assignment_configs,
                                         .group_epoch = c.group.metadata.epoch},
                                        c.world);
  auto next = freeze(stored_targets(members, input), input, members, c.world);
  if (next == nullptr) return found;
  next->epoch = c.group.target_info.assignment_epoch;
  found.is_step = !is_lost && !is_held(members, *next);
  found.has_news = is_lost || found.is_step;
  if (found.is_step) {
    move_epoch(c, members, *next, epoch);
    next->epoch = epoch.epoch;
  }
  found.interim = std::move(next);
  return found;
}

namespace {

/// The same with the entry of a replaced static member under its new id; without the entry of a member whose target is
/// void.
std::shared_ptr<const interim_target> rekeyed(const interim_target& interim, std::string_view old_id,
                                              const membership& members) {
  auto changed = std::make_shared<interim_target>(interim);
  const auto found = changed->members.find(old_id);
  if (found == changed->members.end()) return changed;
  auto entry = changed->members.extract(found);
  if (members.switches_topology) return changed;
  entry.key() = members.member_id;
  changed->members.insert(std::move(entry));
  return changed;
}

/// What soft state has, if it is still in force.
refinement begin_with(const call& c, const membership& members) {
  refinement found;
  const auto& soft = c.group.soft;
  if (soft.interim == nullptr || soft.interim->epoch != c.group.target_info.assignment_epoch) return found;
  found.interim = soft.interim;
  found.has_news = soft.interim_has_news ||
                   (members.reports() && found.interim->processes.contains(members.metadata->process_id));
  if (members.replaced_id != nullptr || members.switches_topology) {
    found.interim = rekeyed(*soft.interim, members.replaced_id ? *members.replaced_id : members.member_id, members);
  }
  return found;
}

/// Something waits, there is news, and the group has settled on the step in force.
bool is_due(const call& c, const refinement& so_far) {
  const auto& interim = *so_far.interim;
  if (interim.waiting == 0) return false;
  const bool is_late = interim.recheck_ms && *interim.recheck_ms <= c.world.now_ms;
  const bool has_other_limit = interim.warmup_replicas != c.world.config.num_warmup_replicas;
  return (so_far.has_news || is_late || has_other_limit) && state_of(c.group) == group_state::stable;
}

/// The targets of the members in the input, a replaced one's under its new id.
assignor::plan stored_targets(const membership& members, const assignor_input& input) {
  assignor::plan stored;
  for (const auto& m : input.input.members) {
    auto& part = stored[std::string(m.member_id)];
    if (const auto* target = stored_target(members, m.member_id)) {
      part.active = target->active;
      part.standby = target->standby;
    }
  }
  return stored;
}

const current_assignment& current_of(const membership& members, std::string_view id) {
  static const current_assignment nothing;
  if (members.metadata != nullptr && id == members.member_id) return *members.current;
  const auto found = members.group.members.find(id);
  return found == members.group.members.end() ? nothing : found->second.current;
}

bool is_held(const membership& members, const interim_target& next) {
  return std::ranges::all_of(next.members, [&](const auto& entry) {
    const auto& held = current_of(members, entry.first).assigned;
    return same_tasks(held.active, entry.second.active) && held.standby == entry.second.standby &&
           held.warmup == entry.second.warmup;
  });
}

/// Who runs what now.
std::map<std::string, std::string> owners(const membership& members) {
  std::map<std::string, std::string> by_task;
  for (const auto& [id, member] : members.group.members) {
    for (const auto& [subtopology, partitions] : member.current.assigned.active) {
      for (const auto& [partition, epoch] : partitions) by_task[task_name(subtopology, partition)] = id;
    }
  }
  return by_task;
}

void explain_step(const membership& members, const interim_target& next, event& e) {
  const auto by_task = owners(members);
  for (const auto& [id, tasks] : next.members) {
    const auto& held = current_of(members, id).assigned;
    task_set gained;
    for (const auto& [subtopology, partitions] : tasks.active) {
      for (const auto partition : partitions) {
        if (contains(held.active, subtopology, partition)) continue;
        gained[subtopology].insert(partition);
        ++e.tasks_moved;
        const auto task = task_name(subtopology, partition);
        const auto owner = by_task.find(task);
        add_move(e, {task, moved_role::active, owner == by_task.end() ? std::string() : owner->second, id});
      }
    }
    if (!gained.empty()) e.detail += id + " takes over " + in_words(gained) + "; ";
  }
  e.detail += std::to_string(next.waiting) + " tasks still warm up or wait to";
}

void move_epoch(const call& c, const membership& members, const interim_target& next, epoch_plan& epoch) {
  epoch.epoch = c.group.metadata.epoch + 1;
  epoch.written = c.group.metadata;
  epoch.written->epoch = epoch.epoch;
  epoch.explanation = event_about(cause::warm_up_caught_up, members.member_id, *members.metadata, c.world.now_ms);
  epoch.explanation->group_epoch = epoch.epoch;
  explain_step(members, next, *epoch.explanation);
}

}  // namespace
}  // namespace weir::group
