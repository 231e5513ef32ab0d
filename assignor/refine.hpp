// How a group gets to its target without standing still (spec 03, 8.4): tasks whose state is not where they shall run
// stay with whoever runs them, and the process that shall have them warms up meanwhile. For the target of any assignor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assignor/assignor.hpp"
#include "base/result.hpp"

namespace weir::assignor {

/// What one member shall hold for the time being.
struct interim_tasks {
  task_set active;
  task_set standby;
  task_set warmup;

  bool operator==(const interim_tasks&) const = default;
};

/// A task that is not yet held as the target says, because the member that shall have it is behind.
struct waiting_task {
  std::string subtopology_id;
  std::int32_t partition = 0;
  std::string member_id;  ///< shall have it

  bool operator==(const waiting_task&) const = default;
};

/// A step on the way to a target. Once nothing waits it is the target.
struct interim {
  /// Who is to hold something else than the target says. All others are to hold their part of the target.
  std::map<std::string, interim_tasks, std::less<>> members;
  std::vector<waiting_task> waiting;  ///< in task order, standbys last

  bool operator==(const interim&) const = default;
};

/// The step that the present state allows. Runs every task of the target once; the target names none twice. A stateful
/// task with a live owner goes to another process only when that has caught up; one without an owner starts at the copy
/// that is least behind, of equals at the process that runs least. Warm-ups: at most input.warmup_replicas in all,
/// those in progress first, the least behind first. Members that do not report offsets get their tasks at once. With
/// warmup_replicas = 0, or if every lag is acceptable, the result is the target. Warm-ups that were stuck
/// (group_input::stuck) come after others. Fails on input that is not a group, and on a target for another number
/// of members.
[[nodiscard]] result<interim> refine(const flat_plan& target, const group_input& input);

}  // namespace weir::assignor
