// The interface of a task assignor: who is in the group and what each member holds now, in; who shall hold what, out.
// Plain inputs and outputs (spec 03, section 1): no clock, no random source, no I/O. The group room fills a group_input
// from its state; registry.hpp finds an assignor by name; validate.hpp runs one and checks what it returns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::assignor {

/// Subtopology id -> partitions. A set without partitions means the same as no entry.
using task_set = std::map<std::string, std::set<std::int32_t>, std::less<>>;

/// Subtopology id -> partition -> sum of the changelog offsets (or end offsets) of that task.
using offset_sums = std::map<std::string, std::map<std::int32_t, std::int64_t>, std::less<>>;

/// Tag key -> value.
using tag_map = std::map<std::string, std::string, std::less<>>;

/// What an assignor may know of one member (spec 01, 7.4). Everything is borrowed: the strings and maps must outlive
/// the call of assign. A null pointer stands for an empty map.
struct member_input {
  std::string_view member_id;  ///< unique in the group
  std::optional<std::string_view> instance_id;
  std::optional<std::string_view> rack_id;
  std::string_view process_id;  ///< members of equal process id share a machine and a state directory
  const tag_map* client_tags = nullptr;
  const task_set* active = nullptr;   ///< currently assigned, not the target; without tasks pending revocation
  const task_set* standby = nullptr;  ///< likewise
  const task_set* warmup = nullptr;   ///< likewise
  const offset_sums* task_offsets = nullptr;      ///< last report of the member
  const offset_sums* task_end_offsets = nullptr;  ///< last report of the member; the largest int64: not known yet
  const task_set* revoking = nullptr;  ///< active tasks it was told to give up and has not released yet
  bool reports_offsets = true;  ///< false: its progress is never known, so tasks move to it without a warm-up
};

/// Partition -> racks of the replicas of what the task reads. A partition beyond the end, or without racks: not known.
using partition_racks = std::vector<std::vector<std::string>>;

/// One subtopology: its tasks are the partitions 0 .. tasks - 1.
struct subtopology_input {
  std::string_view id;      ///< borrowed; unique in the group
  std::int32_t tasks = 0;   ///< not negative
  bool stateful = false;    ///< has a changelog
  const partition_racks* racks = nullptr;  ///< null: not known
};

/// A warm-up that does not get on: its turn comes after those that might. Borrowed.
struct resting_warm_up {
  std::string_view subtopology_id;
  std::int32_t partition = 0;
  std::string_view process_id;  ///< where the task is to run
};

/// Everything an assignor decides from. Members and subtopologies may come in any order: the result depends only on the
/// content (spec 03, 9.1 T19). Tasks and offsets of subtopologies or partitions that do not exist are ignored.
struct group_input {
  std::vector<member_input> members;
  std::vector<subtopology_input> subtopologies;
  std::int32_t standby_replicas = 0;  ///< standbys wanted for each stateful task; not negative
  std::vector<std::string> rack_aware_tags;  ///< keys of client tags, the most important first
  std::int32_t warmup_replicas = 2;          ///< warm-up tasks of the whole group at one time; 0: tasks move at once
  std::int64_t acceptable_recovery_lag = 10'000;  ///< a copy that is not farther behind has caught up
  std::int32_t failover_slack = 0;  ///< tasks above its share that a process may get because it has caught up on them
  bool keep_old_standbys = false;   ///< a standby that moves stays until its successor has caught up
  std::vector<resting_warm_up> resting;  ///< for refine.hpp only
};

/// What one member shall hold.
struct member_plan {
  task_set active;
  task_set standby;

  bool operator==(const member_plan&) const = default;
};

/// Member id -> its plan. Every member of the input is present, also one that gets nothing; no entry of a task set is
/// empty (spec 01, X4).
using plan = std::map<std::string, member_plan, std::less<>>;

/// A way of distributing tasks. One object serves all groups: implementations keep no state between calls and are safe
/// to call from several threads at once.
class assignor {
 public:
  assignor() = default;
  assignor(const assignor&) = delete;
  assignor& operator=(const assignor&) = delete;
  virtual ~assignor() = default;

  /// The name in `group.streams.assignors` and `streams.assignor.name`.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// The new target of the whole group. Equal content gives an equal plan. Fails if the input cannot be served, e.g.
  /// tasks but no member.
  [[nodiscard]] virtual result<plan> assign(const group_input& input) const = 0;
};

}  // namespace weir::assignor
