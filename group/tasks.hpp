// Tasks and sets of tasks. A task is (subtopology id, partition); its role is active, standby or warm-up (spec 01).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "assignor/assignor.hpp"

namespace weir::group {

/// Subtopology id -> partitions, both ascending. No entry with an empty set.
using task_set = assignor::task_set;

/// Subtopology id -> partition -> the assignment epoch at which the active task was added (spec 01 appendix B).
using task_epochs = std::map<std::string, std::map<std::int32_t, std::int32_t>, std::less<>>;

/// Tasks by role, as an assignor or a client names them.
struct role_tasks {
  task_set active;
  task_set standby;
  task_set warmup;

  bool operator==(const role_tasks&) const = default;
  [[nodiscard]] bool empty() const noexcept { return active.empty() && standby.empty() && warmup.empty(); }
};

/// Tasks by role as the coordinator keeps them: active ones with their assignment epochs.
struct assigned_tasks {
  task_epochs active;
  task_set standby;
  task_set warmup;

  bool operator==(const assigned_tasks&) const = default;
  [[nodiscard]] bool empty() const noexcept { return active.empty() && standby.empty() && warmup.empty(); }
};

/// Subtopology id -> partition -> offset sum, as reported by a member (spec 01, 1.3). INT64_MAX = not known yet.
using task_offsets = std::map<std::string, std::map<std::int32_t, std::int64_t>, std::less<>>;

/// The tasks of an active set without their epochs.
[[nodiscard]] task_set without_epochs(const task_epochs& tasks);
[[nodiscard]] role_tasks without_epochs(const assigned_tasks& tasks);

}  // namespace weir::group
