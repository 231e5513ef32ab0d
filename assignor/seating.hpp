// From processes to members: which thread of a process holds each of its tasks (spec 03, 8.3, step 6).
#pragma once

#include <cstdint>
#include <vector>

#include "assignor/dense_group.hpp"
#include "assignor/dense_plan.hpp"
#include "assignor/replicas.hpp"
#include "assignor/standby_places.hpp"

namespace weir::assignor {

/// Where tasks shall be, by process, and who holds what now. Borrowed.
struct seating_input {
  const replicas& present;
  const std::vector<std::int32_t>& owners;  ///< task -> member that runs it now, or nobody
  const std::vector<std::int32_t>& active;  ///< task -> process
  const standby_places& standbys;
};

/// Inside each process the stateful active tasks, all active tasks and all copies are each spread within one over the
/// members. Tasks stay with the member that has them now as far as that allows.
[[nodiscard]] dense_plan seat(const dense_group& group, const seating_input& input);

}  // namespace weir::assignor
