#include "group/heartbeat/interim.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "assignor/replicas.hpp"
#include "group/heartbeat/warm_up_watch.hpp"

namespace weir::group {
namespace {

refinement begin_with(const call& c, const membership& members);
bool brings_news(const call& c, const membership& members, const interim_target& step);
bool is_due(const call& c, const refinement& so_far);
assignor::flat_plan stored_targets(const membership& members, const assignor_input& input);
const role_tasks& step_of(const membership& members, const interim_target& step, std::string_view id);
bool is_held(const membership& members, const interim_target& next, const assignor_input& input);
void move_epoch(const call& c, const membership& members, const interim_target& next, const assignor_input& input,
                epoch_plan& epoch);

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

std::shared_ptr<interim_target> freeze(const assignor::flat_plan& target, assignor_input& input,
                                       const membership& members, const world& world) {
  const auto watches = look_at_warm_ups(members.group.soft.interim.get(), input, world);
  input.input.stuck = stuck_ones(watches);
  give_up_silent(watches, input);
  auto made = assignor::refine(target, input.input);
  if (!made) return nullptr;
  auto frozen = std::make_shared<interim_target>();
  frozen->watches = watch_warm_ups(*made, watches, input, world);
  frozen->waiting = made->waiting.size();
  frozen->warmup_replicas = input.input.warmup_replicas;
  const auto recheck = [&](std::int64_t at_ms) {
    if (at_ms > world.now_ms) frozen->recheck_ms = std::min(frozen->recheck_ms.value_or(at_ms), at_ms);
  };
  std::map<std::string_view, task_set> awaited;
  for (auto& task : made->waiting) awaited[task.member_id][task.subtopology_id].insert(task.partition);
  for (const auto& m : input.input.members) {
    const auto found = awaited.find(m.member_id);
    if (found == awaited.end()) continue;
    auto& of_process = frozen->awaited[std::string(m.process_id)];
    for (const auto& [id, partitions] : found->second) of_process[id].insert(partitions.begin(), partitions.end());
    recheck(first_report_due_ms(members.group, m.member_id, world));
  }
  for (const auto& watch : frozen->watches) {
    if (watch.runs || watch.rests) recheck(watch.look_ms);
  }
  for (auto& [id, tasks] : made->members) {
    frozen->members.try_emplace(frozen->members.end(), id,
                                role_tasks{.active = std::move(tasks.active),
                                           .standby = std::move(tasks.standby),
                                           .warmup = std::move(tasks.warmup)});
  }
  return frozen;
}

refinement refine_further(const call& c, const membership& members, const topology_plan& topology, epoch_plan& epoch) {
  if (!refines_targets(c.group, c.world) || c.group.targets.empty()) return {};
  auto found = begin_with(c, members);
  const bool is_lost = found.interim == nullptr;
  const bool may_step = !epoch.is_bumped() && c.group.target_info.assignment_epoch == c.group.metadata.epoch;
  if (!topology.is_ready() || (!is_lost && !(may_step && is_due(c, found)))) return found;

  auto input = input_for_assignor(members,
                                  {.configured = topology.configured.get(),
                                   .assignment_configs = c.group.metadata.assignment_configs,
                                   .group_epoch = c.group.metadata.epoch},
                                  c.world);
  auto next = freeze(stored_targets(members, input), input, members, c.world);
  if (next == nullptr) return found;
  next->epoch = c.group.target_info.assignment_epoch;
  found.is_step = !is_lost && !is_held(members, *next, input);
  found.has_news = is_lost || found.is_step;
  if (found.is_step) {
    move_epoch(c, members, *next, input, epoch);
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
  for (auto& watch : changed->watches) watch.is_new_rest = false;
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
  found.has_news = soft.interim_has_news || brings_news(c, members, *found.interim);
  if (members.replaced_id != nullptr || members.switches_topology) {
    found.interim = rekeyed(*soft.interim, members.replaced_id ? *members.replaced_id : members.member_id, members);
  }
  return found;
}

/// What is reported of a task now, or was before; null if nothing.
const std::int64_t* reported(const task_offsets* now, const task_offsets* before, std::string_view subtopology,
                             std::int32_t partition) {
  const auto* sums = now != nullptr ? now : before;
  if (sums == nullptr) return nullptr;
  const auto found = sums->find(subtopology);
  if (found == sums->end()) return nullptr;
  const auto sum = found->second.find(partition);
  return sum == found->second.end() ? nullptr : &sum->second;
}

bool is_behind(std::int64_t offset, const std::int64_t* end, std::int64_t acceptable_lag) {
  const bool is_known = offset >= 0 && end != nullptr && *end != assignor::lag_unknown && offset <= *end;
  return is_known && *end - offset > acceptable_lag;
}

/// The report may show that a task that is waited for has caught up. That it has not is seen here only if it says
/// itself how far it has to go.
bool brings_news(const call& c, const membership& members, const interim_target& step) {
  if (!members.reports()) return false;
  const auto awaited = step.awaited.find(members.metadata->process_id);
  if (awaited == step.awaited.end()) return false;
  const auto known = c.group.soft.members.find(members.member_id);
  const bool is_known = known != c.group.soft.members.end();
  for (const auto& [id, partitions] : awaited->second) {
    for (const auto partition : partitions) {
      const auto* offset = reported(members.offsets, is_known ? &known->second.offsets.get() : nullptr, id, partition);
      const auto* known_ends = is_known ? &known->second.end_offsets.get() : nullptr;
      const auto* end = reported(members.end_offsets, known_ends, id, partition);
      if (offset != nullptr && !is_behind(*offset, end, c.world.config.acceptable_recovery_lag)) return true;
    }
  }
  return false;
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
assignor::flat_plan stored_targets(const membership& members, const assignor_input& input) {
  assignor::flat_plan stored;
  const auto add = [&](const task_set& tasks, assignor::task_lists& to) {
    input.numbers.append(tasks, to.tasks, [](std::string_view, std::int32_t) {});
  };
  for (const auto& m : input.input.members) {
    if (const auto* target = stored_target(members, m.member_id)) {
      add(target->active, stored.active);
      add(target->standby, stored.standby);
    }
    stored.active.end_list();
    stored.standby.end_list();
  }
  return stored;
}

/// What a member is to hold: its part of the step, or its stored target.
const role_tasks& step_of(const membership& members, const interim_target& step, std::string_view id) {
  static const role_tasks nothing;
  if (const auto* part = part_of(&step, id)) return *part;
  const auto* target = stored_target(members, id);
  return target == nullptr ? nothing : *target;
}

bool is_held(const membership& members, const interim_target& next, const assignor_input& input) {
  return std::ranges::all_of(input.input.members, [&](const assignor::member_input& m) {
    const auto& held = current_of(members, m.member_id).assigned;
    const auto& part = step_of(members, next, m.member_id);
    return same_tasks(held.active, part.active) && held.standby == part.standby && held.warmup == part.warmup;
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

/// The tasks that members take over. Returns whether one of them is of a member whose progress is known.
bool explain_promotions(const membership& members, const interim_target& next, const assignor_input& input, event& e) {
  const auto by_task = owners(members);
  bool has_caught_up = false;
  for (const auto& m : input.input.members) {
    const auto& held = current_of(members, m.member_id).assigned;
    task_set gained;
    for (const auto& [subtopology, partitions] : step_of(members, next, m.member_id).active) {
      for (const auto partition : partitions) {
        if (contains(held.active, subtopology, partition)) continue;
        gained[subtopology].insert(partition);
        ++e.tasks_moved;
        const auto task = task_name(subtopology, partition);
        const auto owner = by_task.find(task);
        add_move(e, {task, moved_role::active, owner == by_task.end() ? std::string() : owner->second,
                     std::string(m.member_id)});
      }
    }
    if (gained.empty()) continue;
    has_caught_up = has_caught_up || m.reports_offsets;
    e.detail += std::string(m.member_id) + " takes over " + in_words(gained) +
                (m.reports_offsets ? "; " : " and tells no offsets; ");
  }
  return has_caught_up;
}

/// Why there is another step.
cause reason_of(const interim_target* before, const interim_target& next, bool has_caught_up) {
  const bool has_other_limit = before != nullptr && before->warmup_replicas != next.warmup_replicas;
  if (has_other_limit) return cause::assignment_config_changed;
  return has_caught_up ? cause::warm_up_caught_up : cause::warm_up_stuck;
}

void move_epoch(const call& c, const membership& members, const interim_target& next, const assignor_input& input,
                epoch_plan& epoch) {
  epoch.epoch = c.group.metadata.epoch + 1;
  epoch.written = c.group.metadata;
  epoch.written->epoch = epoch.epoch;
  auto e = event_about(cause::warm_up_caught_up, members.member_id, *members.metadata, c.world.now_ms);
  e.group_epoch = epoch.epoch;
  const bool has_caught_up = explain_promotions(members, next, input, e);
  const auto* before = c.group.soft.interim.get();
  e.why = reason_of(before, next, has_caught_up);
  if (e.why == cause::assignment_config_changed) {
    e.changes.push_back({"num.warmup.replicas", std::to_string(before->warmup_replicas),
                         std::to_string(next.warmup_replicas)});
  }
  for (const auto& watch : next.watches) {
    if (!watch.is_new_rest) continue;
    e.detail +=
        task_name(watch.subtopology_id, watch.partition) + " does not get on in process " + watch.process_id + "; ";
  }
  e.detail += std::to_string(next.waiting) + " tasks still warm up or wait to";
  epoch.explanation = std::move(e);
}

}  // namespace
}  // namespace weir::group
