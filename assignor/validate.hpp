// Checks of an assignor's result (spec 03, 9.1 T1 to T5). The assignor is not trusted: a violation counts as a failure
// of the assignor (spec 03, 1.1 Rule; spec 01, 7.5).
#pragma once

#include "assignor/assignor.hpp"
#include "base/result.hpp"

namespace weir::assignor {

/// Runs the assignor and validates what it returns. This is what the group room calls.
[[nodiscard]] result<flat_plan> checked_assign(const assignor& chosen, const group_input& input);

/// Whether the plan is one the group may run. The error names the first violation found.
/// T1 every task active exactly once; T2 only existing tasks; T3 exactly the members; T4 standbys only of stateful
/// subtopologies, no task twice in one process; T5 min(standby_replicas, processes - 1) standbys of each stateful task.
/// Also the form: lists that are what they should be, each one ascending.
[[nodiscard]] result<void> validate(const flat_plan& checked, const group_input& input);

}  // namespace weir::assignor
