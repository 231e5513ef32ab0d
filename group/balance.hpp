// How a streams group's tasks are spread at one moment: numbers of what members hold, and whether it is even.
#pragma once

#include <cstdint>
#include <string>

#include "group/streams_group.hpp"

namespace weir::group {

struct group_counts {
  std::int64_t members = 0;    ///< stream threads; those that have left for a while are `away` and not among them
  std::int64_t away = 0;
  std::int64_t processes = 0;  ///< of these members
  std::int64_t tasks = 0;      ///< of the topology; 0 until the topics are in order
  // What members are assigned.
  std::int64_t active = 0;
  std::int64_t standby = 0;
  std::int64_t warmup = 0;
  std::int64_t stateful_active = 0;
  std::int64_t unassigned = 0;       ///< tasks without an active member
  std::int64_t to_revoke = 0;        ///< active tasks that members have to release
  std::int64_t waiting_to_move = 0;  ///< tasks that are not where the target wants them, until they are warm

  bool operator==(const group_counts&) const = default;
};

/// Least and most over all members, or processes; 0 if there are none.
struct task_spread {
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool operator==(const task_spread&) const = default;
};

struct group_balance {
  task_spread active_per_member;
  task_spread total_per_member;            ///< active, standby and warm-up
  task_spread active_per_process;
  task_spread stateful_active_per_process;
  std::int64_t idle_members = 0;           ///< without an active task
  std::int64_t idle_processes = 0;
  /// Active tasks of members differ by one at most, each task has one.
  bool even = true;
  std::string text;  ///< the answer in words

  bool operator==(const group_balance&) const = default;
};

struct group_spread {
  group_counts counts;
  group_balance balance;
};

/// O(members x subtopologies + tasks).
[[nodiscard]] group_spread spread_of(const streams_group& group);

}  // namespace weir::group
