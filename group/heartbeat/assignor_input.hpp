// A group in the words of the assignor room: what an assignor and the refiner decide from (spec 01, 7.4).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assignor/assignor.hpp"
#include "assignor/task_numbers.hpp"
#include "group/heartbeat/settle_target.hpp"

namespace weir::group {

/// The input and what it borrows. Lives no longer than what it was made from.
struct assignor_input {
  assignor::group_input input;
  assignor::task_numbers numbers;               ///< of its tasks
  std::vector<const member_soft*> soft;         ///< of its members, as known before this heartbeat; null: nothing
  std::deque<assignor::partition_racks> racks;  // elements stay where they are
  /// Members that run an older topology than the group's: they keep what they have, and get nothing (spec 01, 11.3).
  std::vector<std::string_view> stale;
};

/// The members as they are after this heartbeat, with their last reports.
[[nodiscard]] assignor_input input_for_assignor(const membership& members, const target_basis& basis,
                                                const world& world);

/// The same input without the members of drained processes, for the assignor. Nothing if none of them is here, or
/// nobody else: then all are asked.
[[nodiscard]] std::optional<assignor::group_input> without_drained(const assignor::group_input& all,
                                                                   const group_config& config);

/// What a member holds and is to give up, as it is after this heartbeat. Empty for who is no member.
[[nodiscard]] const current_assignment& current_of(const membership& members, std::string_view id);

}  // namespace weir::group
