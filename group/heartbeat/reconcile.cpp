#include "group/heartbeat/reconcile.hpp"

namespace weir::group {
namespace {

current_assignment next(const reconcile_input& in, std::int32_t epoch_while_revoking);
bool is_released(const assigned_tasks& tasks, const std::optional<owned_report>& owned);

}  // namespace

checked<std::optional<current_assignment>> reconcile(const reconcile_input& in) {
  const auto& current = in.current;
  if (is_reconciled(current, in.target_epoch)) return std::nullopt;
  current_assignment result;
  switch (current.state) {
    case member_state::stable:
    case member_state::unreleased_tasks: result = next(in, current.member_epoch); break;
    case member_state::unrevoked_tasks:
      if (!is_released(current.pending_revocation, in.owned)) return std::nullopt;
      result = next(in, current.member_epoch + 1);
      break;
    default:
      if (!in.owned || !in.owned->tasks.empty()) {
        return refuse(protocol::error_code::fenced_member_epoch, "The member's state is not known; it must rejoin.");
      }
      result = next(in, in.target_epoch);
  }
  if (result == current) return std::nullopt;
  return result;
}

namespace {

/// One role of one step: what stays, goes and comes.
template <class Kept>
struct moves {
  Kept keep;
  Kept drop;
  task_set add;
};

struct step_plan {
  moves<task_epochs> active;
  moves<task_set> standby;
  moves<task_set> warmup;
  bool is_waiting = false;  // some wanted task is held elsewhere
};

bool is_active_blocked(const reconcile_input& in, std::string_view subtopology, std::int32_t partition);
bool is_standby_blocked(const reconcile_input& in, std::string_view subtopology, std::int32_t partition);
bool is_warmup_blocked(const reconcile_input& in, std::string_view subtopology, std::int32_t partition);
void split(const task_epochs& assigned, const task_set& target, moves<task_epochs>& into);
void split(const task_set& assigned, const task_set& target, moves<task_set>& into);
template <class Assigned, class Blocked>
void add_wanted(const task_set& target, const Assigned& assigned, bool& is_waiting, task_set& add, Blocked is_blocked);
void change_roles_in_place(const reconcile_input& in, step_plan& plan);
task_set promotions(const task_set& assigned, const task_set& target_active, task_set& drop);
void keep_until_granted(const task_set& promoted, bool grants, const step_plan& plan, task_set& keep);
assigned_tasks with_added(step_plan& plan, std::int32_t epoch);

/// NEXT(k) of spec 01, 8.1.
current_assignment next(const reconcile_input& in, std::int32_t epoch_while_revoking) {
  const auto& assigned = in.current.assigned;
  step_plan plan;
  split(assigned.active, in.target.active, plan.active);
  split(assigned.standby, in.target.standby, plan.standby);
  split(assigned.warmup, in.target.warmup, plan.warmup);
  const auto blocked_by = [&](auto rule) {
    return [&in, rule](std::string_view subtopology, std::int32_t p) { return rule(in, subtopology, p); };
  };
  add_wanted(in.target.active, assigned.active, plan.is_waiting, plan.active.add, blocked_by(is_active_blocked));
  add_wanted(in.target.standby, assigned.standby, plan.is_waiting, plan.standby.add, blocked_by(is_standby_blocked));
  add_wanted(in.target.warmup, assigned.warmup, plan.is_waiting, plan.warmup.add, blocked_by(is_warmup_blocked));
  change_roles_in_place(in, plan);

  const auto promoted_standby = promotions(assigned.standby, in.target.active, plan.standby.drop);
  const auto promoted_warmup = promotions(assigned.warmup, in.target.active, plan.warmup.drop);
  assigned_tasks drop{.active = plan.active.drop, .standby = plan.standby.drop, .warmup = plan.warmup.drop};
  const bool must_revoke = !drop.empty() && !is_released(drop, in.owned);
  keep_until_granted(promoted_standby, !must_revoke, plan, plan.standby.keep);
  keep_until_granted(promoted_warmup, !must_revoke, plan, plan.warmup.keep);

  current_assignment result;
  result.previous_member_epoch = in.current.member_epoch;
  if (must_revoke) {
    result.state = member_state::unrevoked_tasks;
    result.member_epoch = epoch_while_revoking;
    result.assigned = {.active = std::move(plan.active.keep),
                       .standby = std::move(plan.standby.keep),
                       .warmup = std::move(plan.warmup.keep)};
    result.pending_revocation = std::move(drop);
    return result;
  }
  result.state = plan.is_waiting ? member_state::unreleased_tasks : member_state::stable;
  result.member_epoch = in.target_epoch;
  result.assigned = with_added(plan, in.target_epoch);
  return result;
}

bool is_released(const assigned_tasks& tasks, const std::optional<owned_report>& owned) {
  return owned && are_disjoint(tasks.active, owned->tasks.active) &&
         are_disjoint(tasks.standby, owned->tasks.standby) && are_disjoint(tasks.warmup, owned->tasks.warmup);
}

// Who blocks whom: the table of 8.2. "Another member of my process" is where the maps name my process, but my own
// assigned tasks of that role do not hold the task.

bool holds(const std::map<std::string, std::map<std::int32_t, std::set<std::string>>, std::less<>>& replicas,
           std::string_view subtopology, std::int32_t partition, const std::string& process_id) {
  auto tasks = replicas.find(subtopology);
  if (tasks == replicas.end()) return false;
  auto processes = tasks->second.find(partition);
  return processes != tasks->second.end() && processes->second.contains(process_id);
}

const std::string* active_holder(const holders& held, std::string_view subtopology, std::int32_t partition) {
  auto tasks = held.active.find(subtopology);
  if (tasks == held.active.end()) return nullptr;
  auto holder = tasks->second.find(partition);
  return holder == tasks->second.end() ? nullptr : &holder->second;
}

bool sibling_has_standby(const reconcile_input& in, std::string_view subtopology, std::int32_t partition) {
  return holds(in.held.standby, subtopology, partition, in.process_id) &&
         !contains(in.current.assigned.standby, subtopology, partition);
}

bool sibling_has_warmup(const reconcile_input& in, std::string_view subtopology, std::int32_t partition) {
  return holds(in.held.warmup, subtopology, partition, in.process_id) &&
         !contains(in.current.assigned.warmup, subtopology, partition);
}

bool is_active_blocked(const reconcile_input& in, std::string_view subtopology, std::int32_t partition) {
  if (in.foreign != nullptr && in.foreign->holder(subtopology, partition) != nullptr) return true;
  return active_holder(in.held, subtopology, partition) != nullptr || sibling_has_standby(in, subtopology, partition) ||
         sibling_has_warmup(in, subtopology, partition);
}

bool is_standby_blocked(const reconcile_input& in, std::string_view subtopology, std::int32_t partition) {
  const auto* active = active_holder(in.held, subtopology, partition);
  const bool sibling_has_active =
      active != nullptr && *active == in.process_id && !contains(in.current.assigned.active, subtopology, partition);
  return sibling_has_active || holds(in.held.standby, subtopology, partition, in.process_id) ||
         sibling_has_warmup(in, subtopology, partition);
}

bool is_warmup_blocked(const reconcile_input& in, std::string_view subtopology, std::int32_t partition) {
  const auto* active = active_holder(in.held, subtopology, partition);
  return (active != nullptr && *active == in.process_id) || sibling_has_standby(in, subtopology, partition) ||
         holds(in.held.warmup, subtopology, partition, in.process_id);
}

void split(const task_epochs& assigned, const task_set& target, moves<task_epochs>& into) {
  for (const auto& [subtopology, partitions] : assigned) {
    for (const auto& [partition, epoch] : partitions) {
      auto& to = contains(target, subtopology, partition) ? into.keep : into.drop;
      to[subtopology].emplace(partition, epoch);
    }
  }
}

void split(const task_set& assigned, const task_set& target, moves<task_set>& into) {
  for (const auto& [subtopology, partitions] : assigned) {
    for (auto partition : partitions) {
      auto& to = contains(target, subtopology, partition) ? into.keep : into.drop;
      to[subtopology].insert(partition);
    }
  }
}

template <class Assigned, class Blocked>
void add_wanted(const task_set& target, const Assigned& assigned, bool& is_waiting, task_set& add, Blocked is_blocked) {
  for (const auto& [subtopology, partitions] : target) {
    for (auto partition : partitions) {
      if (contains(assigned, subtopology, partition)) continue;
      if (is_blocked(subtopology, partition)) {
        is_waiting = true;
      } else {
        add[subtopology].insert(partition);
      }
    }
  }
}

/// Takes out of `wanted`, and out of `drop` if given, what the member has in `had`, and keeps it in its new role.
template <class Had>
void move_in_place(const Had& had, task_set& wanted, task_set& keep, task_set* drop) {
  const task_set candidates = wanted;
  for (const auto& [subtopology, partitions] : candidates) {
    for (auto partition : partitions) {
      if (!contains(had, subtopology, partition)) continue;
      remove(wanted, subtopology, partition);
      keep[subtopology].insert(partition);
      if (drop != nullptr) remove(*drop, subtopology, partition);
    }
  }
}

/// The first three rows of 8.3.
void change_roles_in_place(const reconcile_input& in, step_plan& plan) {
  const auto& assigned = in.current.assigned;
  // The active task still needs acknowledgement, replicas do not.
  move_in_place(assigned.active, plan.standby.add, plan.standby.keep, nullptr);
  move_in_place(assigned.standby, plan.warmup.add, plan.warmup.keep, &plan.standby.drop);
  move_in_place(assigned.warmup, plan.standby.add, plan.standby.keep, &plan.warmup.drop);
}

/// The last row of 8.3: replicas that shall become active are never dropped.
task_set promotions(const task_set& assigned, const task_set& target_active, task_set& drop) {
  task_set promoted;
  for (const auto& [subtopology, partitions] : assigned) {
    for (auto partition : partitions) {
      if (!contains(target_active, subtopology, partition)) continue;
      promoted[subtopology].insert(partition);
      remove(drop, subtopology, partition);
    }
  }
  return promoted;
}

void keep_until_granted(const task_set& promoted, bool grants, const step_plan& plan, task_set& keep) {
  for (const auto& [subtopology, partitions] : promoted) {
    for (auto partition : partitions) {
      if (grants && contains(plan.active.add, subtopology, partition)) continue;
      keep[subtopology].insert(partition);
    }
  }
}

void merge(task_set& into, const task_set& added) {
  for (const auto& [subtopology, partitions] : added) into[subtopology].insert(partitions.begin(), partitions.end());
}

assigned_tasks with_added(step_plan& plan, std::int32_t epoch) {
  assigned_tasks tasks{.active = std::move(plan.active.keep),
                       .standby = std::move(plan.standby.keep),
                       .warmup = std::move(plan.warmup.keep)};
  for (const auto& [subtopology, partitions] : plan.active.add) {
    for (auto partition : partitions) tasks.active[subtopology].emplace(partition, epoch);
  }
  merge(tasks.standby, plan.standby.add);
  merge(tasks.warmup, plan.warmup.add);
  return tasks;
}

}  // namespace
}  // namespace weir::group
