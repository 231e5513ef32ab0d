// How good a plan is: what it moves, what starts cold, how evenly it spreads (spec 03, section 5). Operators compare
// assignors by these figures, so names and definitions are those of the reference statistics.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "assignor/named_plan.hpp"
#include "base/result.hpp"

namespace weir::assignor {

/// Smallest and largest value of a figure over members or processes; both 0 if there are none.
struct spread {
  double min = 0;
  double max = 0;

  bool operator==(const spread&) const = default;
};

/// Moves compare the plan with what the members of the input hold now. "Earlier" means that.
struct plan_statistics {
  // Tasks whose earlier active member is in the group and is not the new one, and which of these
  std::int64_t active_moved = 0;
  std::int64_t active_moved_between_old_members = 0;  ///< to a member that had active or standby tasks before
  std::int64_t active_moved_across_processes = 0;
  std::int64_t stateful_active_moved_across_processes = 0;

  // Tasks without an earlier active member in the group, and which of these
  std::int64_t orphans = 0;
  std::int64_t orphans_with_replica = 0;  ///< some process has an earlier standby or a reported offset
  std::int64_t orphans_to_replica = 0;    ///< are placed on such a process

  std::int64_t cold_stateful_active = 0;  ///< stateful tasks whose process had neither active, standby nor offset of it

  std::int64_t standby_placed = 0;
  std::int64_t standby_kept = 0;  ///< on a process that had the standby before
  std::int64_t standby_cold = 0;  ///< on a process that had neither active, standby nor offset of it

  // Number of tasks; total means active and standby
  spread active_per_member;
  spread stateful_active_per_member;
  spread total_per_member;
  spread active_per_process;
  spread active_load_per_thread;  ///< of a process: its tasks divided by its members
  spread total_load_per_thread;

  bool operator==(const plan_statistics&) const = default;

  /// Every figure under its name in the reference statistics ("activeMoved", "totalPerMemberMax", ...), in that order.
  [[nodiscard]] std::vector<std::pair<std::string_view, double>> named() const;
};

/// Measures a plan made from the input. Fails if the plan is not one for it (named_plan.hpp), or not valid
/// (validate.hpp).
[[nodiscard]] result<plan_statistics> measure(const plan& measured, const group_input& input);

}  // namespace weir::assignor
