// What moved between two plans: the explanation of a new target assignment, and the answer of a what-if.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assignor/assignor.hpp"

namespace weir::assignor {

enum class task_role : std::uint8_t { active, standby };

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

}  // namespace weir::assignor
