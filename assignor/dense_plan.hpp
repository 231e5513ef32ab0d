// A plan in the making, in the integers of a dense_group: which member runs each task, which ones shadow it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assignor/assignor.hpp"
#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// A task and the member that shall hold it.
struct placed_task {
  std::int32_t member;
  std::int32_t task;
};

/// What each member holds, with ids. `placed` is in task order.
[[nodiscard]] std::vector<task_set> named_tasks(const dense_group& group, std::span<const placed_task> placed);

/// Active member and standbys of every task. Borrows the group.
class dense_plan {
 public:
  explicit dense_plan(const dense_group& group);

  /// The task must not have an active member yet.
  void set_active(std::int32_t task, std::int32_t member);

  /// The task must have an active member and fewer standbys than wanted; the member's process must not hold it yet.
  void add_standby(std::int32_t task, std::int32_t member);

  /// Standbys placed so far.
  [[nodiscard]] std::int32_t standbys(std::int32_t task) const { return held_[at(task)] - 1; }

  /// Standbys that are possible: none of a stateless task, else at most one on each process but that of the active
  /// task.
  [[nodiscard]] std::int32_t standbys_wanted(std::int32_t task) const {
    return static_cast<std::int32_t>(first_slot_[at(task) + 1] - first_slot_[at(task)]) - 1;
  }

  /// Processes that hold the task in any role.
  [[nodiscard]] std::span<const std::int32_t> processes(std::int32_t task) const {
    return {processes_.data() + first_slot_[at(task)], at(held_[at(task)])};
  }

  /// What each member of the input holds.
  [[nodiscard]] flat_plan to_flat() const;

 private:
  void hold(std::int32_t task, std::int32_t member);

  const dense_group* group_;
  std::vector<std::size_t> first_slot_;  // task -> slot of its active member, then its standbys; one more at the end
  std::vector<std::int32_t> held_;       // task -> slots in use
  std::vector<std::int32_t> members_;    // slot -> member
  std::vector<std::int32_t> processes_;  // slot -> process of that member
};

}  // namespace weir::assignor
