#include "group/heartbeat/settle_target.hpp"

#include <utility>
#include <vector>

#include "assignor/plan_diff.hpp"
#include "assignor/validate.hpp"
#include "group/heartbeat/interim.hpp"

namespace weir::group {
namespace {

bool is_initial_delay_running(const call& c, target_plan& plan);
const role_tasks* step_or_target(const membership& members, const interim_target* interim, std::string_view id);
const assignor::assignor& choose_assignor(const world& world);
checked<assignor::flat_plan> make_plan(const assignor::assignor& chosen, const target_basis& basis,
                                       const assignor_input& input, const world& world);
void keep_changes(const membership& members, const assignor::flat_plan& plan, const assignor_input& input,
                  computed_target& target);
void explain(const assignor::group_input& input, const assignor::flat_plan& plan, event& e);
void explain_warm_ups(const interim_target& step, event& e);

}  // namespace

const role_tasks& target_plan::tasks() const noexcept {
  static const role_tasks none;
  if (postponed == postponement::initial_delay) return none;
  return stored == nullptr ? tasks_of_new : *stored;
}

checked<target_plan> settle_target(const call& c, const membership& members, const target_question& asked) {
  const auto& group = c.group;
  const auto& epoch = asked.epoch;
  const auto& id = c.request.member_id;
  target_plan plan;
  plan.epoch = group.target_info.assignment_epoch;
  plan.stored = step_or_target(members, asked.refined.interim.get(), id);
  if (is_initial_delay_running(c, plan)) {  // T1
    plan.postponed = postponement::initial_delay;
    return plan;
  }
  if (group.target_info.assignment_epoch >= epoch.epoch) return plan;  // T2
  if (asked.refined.is_step) {                                         // T3
    plan.epoch = epoch.epoch;
    plan.stepped = group.target_info;
    plan.stepped->assignment_epoch = epoch.epoch;
    return plan;
  }
  if (is_within_interval(group, c.world)) {  // T4
    plan.postponed = postponement::assignment_interval;
    return plan;
  }
  const auto& configs = epoch.written ? epoch.written->assignment_configs : group.metadata.assignment_configs;
  auto computed = compute_target(
      members,
      {.configured = asked.topology.configured.get(), .assignment_configs = configs, .group_epoch = epoch.epoch},
      c.world);  // T5
  if (!computed) return tl::unexpected(computed.error());
  plan.epoch = epoch.epoch;
  plan.stored = stored_target(members, id);
  if (auto mine = computed->changed.find(id.view()); mine != computed->changed.end()) {
    plan.tasks_of_new = mine->second;
    plan.stored = nullptr;
  }
  if (const auto* mine = part_of(computed->interim.get(), id)) plan.stored = mine;
  plan.computed = std::move(*computed);
  return plan;
}

checked<computed_target> compute_target(const membership& members, const target_basis& basis, const world& world) {
  const auto& chosen = choose_assignor(world);
  auto input = input_for_assignor(members, basis, world);
  auto plan = make_plan(chosen, basis, input, world);
  if (!plan) return tl::unexpected(plan.error());

  computed_target target;
  if (refines_targets(members.group, world) && basis.configured != nullptr && basis.configured->ready()) {
    auto step = freeze(*plan, input, members, world);
    if (step != nullptr) step->epoch = basis.group_epoch;
    target.interim = std::move(step);
  }
  target.info = {.assignment_epoch = basis.group_epoch, .assignment_timestamp_ms = world.now_ms};
  target.explanation.time_ms = world.now_ms;
  target.explanation.why = cause::target_computed;
  target.explanation.group_epoch = basis.group_epoch;
  target.explanation.assignment_epoch = basis.group_epoch;
  target.explanation.assignor = chosen.name();
  explain(input.input, *plan, target.explanation);
  if (target.interim != nullptr && target.interim->waiting > 0) explain_warm_ups(*target.interim, target.explanation);
  keep_changes(members, *plan, input, target);
  return target;
}

const role_tasks* stored_target(const membership& members, std::string_view id) {
  const auto& targets = members.group.targets;
  if (members.switches_topology && id == members.member_id) return nullptr;
  const bool moved_here = members.replaced_id != nullptr && id == members.member_id;
  auto found = targets.find(moved_here ? std::string_view(*members.replaced_id) : id);
  return found == targets.end() ? nullptr : &found->second;
}

bool is_within_interval(const streams_group& group, const world& world) noexcept {
  const auto computed_ms = group.target_info.assignment_timestamp_ms;
  const auto interval_ms = world.config.assignment_interval_ms;
  return computed_ms != 0 && interval_ms != 0 && world.now_ms < computed_ms + interval_ms;
}

namespace {

/// S9 and the test of T1. A timer whose time has passed no longer delays, even if its wake-up has not come yet.
bool is_initial_delay_running(const call& c, target_plan& plan) {
  const auto now_ms = c.world.now_ms;
  const auto pending = c.group.soft.initial_delay_deadline_ms;
  if (pending && *pending > now_ms) return true;
  const bool was_empty = c.group.members.empty();
  if (was_empty && c.world.config.initial_rebalance_delay_ms > 0) {
    plan.initial_delay_deadline_ms = now_ms + c.world.config.initial_rebalance_delay_ms;
    return true;
  }
  plan.cancel_initial_delay = pending.has_value();
  return false;
}

/// What the step in force has for the member; else its stored target.
const role_tasks* step_or_target(const membership& members, const interim_target* interim, std::string_view id) {
  const auto* mine = part_of(interim, id);
  return mine == nullptr ? stored_target(members, id) : mine;
}

/// 7.4: the group's choice if it is registered, else the broker's first.
const assignor::assignor& choose_assignor(const world& world) {
  if (world.config.assignor_name.empty()) return world.assignors.standard();
  auto found = world.assignors.find(world.config.assignor_name);
  return found ? **found : world.assignors.standard();
}

/// The plan for all members, made for those who are not drained.
assignor::flat_plan for_all(const assignor::flat_plan& made, const assignor_input& input, const world& world) {
  assignor::flat_plan all;
  std::size_t next = 0;
  for (const auto& member : input.input.members) {
    if (!world.config.drained_processes.contains(member.process_id)) {
      for (auto [from, to] : {std::pair(&made.active, &all.active), std::pair(&made.standby, &all.standby)}) {
        const auto tasks = from->of(next);
        to->tasks.insert(to->tasks.end(), tasks.begin(), tasks.end());
      }
      ++next;
    }
    all.active.end_list();
    all.standby.end_list();
  }
  return all;
}

checked<assignor::flat_plan> make_plan(const assignor::assignor& chosen, const target_basis& basis,
                                       const assignor_input& input, const world& world) {
  const bool is_ready = basis.configured != nullptr && basis.configured->ready();
  if (!is_ready || input.input.members.empty()) {
    assignor::flat_plan nothing;
    nothing.active.first.resize(input.input.members.size() + 1, 0);
    nothing.standby.first = nothing.active.first;
    return nothing;
  }
  const auto remaining = without_drained(input.input, world.config);
  auto plan = assignor::checked_assign(chosen, remaining ? *remaining : input.input);
  if (!plan) return refuse(protocol::error_code::unknown_server_error, plan.error().message);
  return remaining ? for_all(*plan, input, world) : std::move(*plan);
}

/// Spec 04, 6: a member without stored target always gets a record. Who runs an older topology keeps what it has.
void keep_changes(const membership& members, const assignor::flat_plan& plan, const assignor_input& input,
                  computed_target& target) {
  const auto& of = input.input;
  const auto first = assignor::first_tasks(of.subtopologies);
  for (std::size_t place = 0; place < of.members.size(); ++place) {
    const auto id = of.members[place].member_id;
    const auto active = plan.active.of(place);
    const auto standby = plan.standby.of(place);
    const auto* stored = stored_target(members, id);
    const bool is_same = stored != nullptr && stored->warmup.empty() &&
                         input.numbers.are_same(stored->active, active) &&
                         input.numbers.are_same(stored->standby, standby);
    if (is_same) continue;
    target.changed.try_emplace(target.changed.end(), std::string(id),
                               role_tasks{.active = assignor::named_tasks(of.subtopologies, first, active),
                                          .standby = assignor::named_tasks(of.subtopologies, first, standby),
                                          .warmup = {}});
  }
  for (const auto id : input.stale) {
    const auto& kept = current_of(members, id).assigned;
    role_tasks tasks{.active = without_epochs(kept.active), .standby = kept.standby, .warmup = {}};
    const auto* stored = stored_target(members, id);
    if (stored == nullptr || *stored != tasks) target.changed.try_emplace(std::string(id), std::move(tasks));
  }
}

void explain(const assignor::group_input& input, const assignor::flat_plan& plan, event& e) {
  std::int32_t had_none = 0;
  const auto tell = [&](const assignor::task_move_view& move, moved_role role) {
    if (e.moved.size() >= moves_max) {
      e.moved_truncated = true;
      return;
    }
    add_move(e, {task_name(move.subtopology_id, move.partition), role, std::string(move.from_member),
                 std::string(move.to_member)});
  };
  for (const auto& move : assignor::moves_to(plan, input, assignor::task_role::active)) {
    ++e.tasks_moved;
    if (move.from_member.empty()) ++had_none;
    tell(move, moved_role::active);
  }
  for (const auto& move : assignor::moves_to(plan, input, assignor::task_role::standby)) {
    tell(move, moved_role::standby);
  }
  e.detail = std::to_string(plan.active.tasks.size()) + " tasks over " + std::to_string(input.members.size()) +
             " members; " + std::to_string(e.tasks_moved) + " get another active member, " +
             std::to_string(had_none) + " of them had none";
}

void explain_warm_ups(const interim_target& step, event& e) {
  e.detail += "; " + std::to_string(step.waiting) + " tasks move once they are warm";
  for (const auto& [id, tasks] : step.members) {
    for (const auto& [subtopology, partitions] : tasks.warmup) {
      for (const auto partition : partitions) {
        add_move(e, {task_name(subtopology, partition), moved_role::warmup, {}, id});
      }
    }
  }
}

}  // namespace
}  // namespace weir::group
