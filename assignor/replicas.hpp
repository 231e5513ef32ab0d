// What is known of the copies of each stateful task beside the running one: who holds or reported some, and how far
// behind it is (spec 03, 8.2). Copies count for a process: its members share a disk.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Stands for a lag that is not known; as an acceptable lag it means that any lag is.
inline constexpr std::int64_t lag_unknown = std::numeric_limits<std::int64_t>::max();

/// What a process has of a task that it may run or not.
struct replica {
  std::int32_t task = 0;
  std::int32_t process = 0;
  std::int64_t offset = -1;        ///< -1: none reported
  std::int64_t lag = lag_unknown;  ///< end offset - offset, 0 if a little beyond; an unknown one is never small enough
  std::int32_t standby = nobody;   ///< its member that holds the task as standby now
  std::int32_t warmup = nobody;    ///< its member that holds the task as warm-up now
  bool caught_up = false;

  [[nodiscard]] bool is_held() const { return standby != nobody || warmup != nobody; }
};

/// The copies of every stateful task, or of some of them.
class replicas {
 public:
  replicas(const dense_group& group, std::int64_t acceptable_lag);
  /// Of the tasks that are `asked` for only (task -> whether it is). They must be stateful.
  replicas(const dense_group& group, std::int64_t acceptable_lag, const std::vector<bool>& asked);

  /// The best first: caught up before others, smallest lag first; then by offset, the highest first; then by process.
  [[nodiscard]] std::span<const replica> of(std::int32_t task) const {
    return {replicas_.data() + first_[at(task)], first_[at(task) + 1] - first_[at(task)]};
  }

  /// What the process has of the task, or null.
  [[nodiscard]] const replica* find(std::int32_t task, std::int32_t process) const;

 private:
  void add_held(const dense_group& group, const std::vector<bool>& asked);
  void add_reported(const dense_group& group, const std::vector<bool>& asked, std::int64_t acceptable_lag);
  void count(std::size_t tasks);
  void sort_by_task(std::size_t tasks);
  void merge();
  void rank(std::int64_t acceptable_lag);

  std::vector<replica> replicas_;   // in task order
  std::vector<std::size_t> first_;  // task -> its first one; one more at the end
};

/// Task -> the member that runs it: has it assigned or, if nobody has, was told to give it up and has not done so yet.
[[nodiscard]] std::vector<std::int32_t> present_owners(const dense_group& group);

/// Task -> whether its subtopology is stateful.
[[nodiscard]] std::vector<bool> stateful_tasks(const dense_group& group);

}  // namespace weir::assignor
