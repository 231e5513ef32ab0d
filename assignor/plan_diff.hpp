// What moved between two plans: the explanation of a new target assignment, and the answer of a what-if.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assignor/named_plan.hpp"

namespace weir::assignor {

/// One copy of one task that is somewhere else than before. An empty member id stands for nobody: the copy is new, or
/// gone. A member that stops running a task and becomes its standby appears in two moves.
struct task_move {
  std::string subtopology_id;
  std::int32_t partition = 0;
  task_role role = task_role::active;
  std::string from_member;
  std::string to_member;

  bool operator==(const task_move&) const = default;
};

/// The moves that lead from one plan to another, by (subtopology, partition, role, from, to). Several standbys of one
/// task that move are paired in member order.
[[nodiscard]] std::vector<task_move> diff(const plan& before, const plan& after);

/// What the members hold now, as a plan: the `before` of the plan an assignor makes from the same input. Empty entries
/// are left out, tasks that no longer exist are not.
[[nodiscard]] plan current_plan(const group_input& input);

/// The same as a task_move, borrowed from the input.
struct task_move_view {
  std::string_view subtopology_id;
  std::int32_t partition = 0;
  std::string_view from_member;
  std::string_view to_member;
};

/// The moves of one role from current_plan(input) to the plan, as diff() gives them.
[[nodiscard]] std::vector<task_move_view> moves_to(const flat_plan& after, const group_input& input, task_role role);

}  // namespace weir::assignor
