// How many tasks each process shall run, so that both its stateful tasks and all its tasks are its share of the group's
// rounded down or up (spec 03, 8.3, step 1).
#pragma once

#include <cstdint>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// What the processes run now.
struct present_load {
  std::vector<std::int32_t> stateful;            ///< process -> stateful tasks
  std::vector<std::int32_t> total;               ///< process -> tasks
  std::vector<std::int32_t> caught_up_orphans;   ///< process -> stateful tasks that nobody runs and it has caught up on
};

struct process_quotas {
  std::vector<std::int32_t> stateful;  ///< process -> stateful tasks it shall run
  std::vector<std::int32_t> total;     ///< process -> tasks it shall run; never less
};

/// Who gets the rounded-up share: those that hold more than the rounded-down one, then those that would with orphans,
/// then by the fraction cut off, then by process id.
[[nodiscard]] process_quotas divide_among_processes(const dense_group& group, const present_load& present);

}  // namespace weir::assignor
