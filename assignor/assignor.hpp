// The interface of a task assignor: who is in the group and what each member holds now, in; who shall hold what, out.
// Plain inputs and outputs (spec 03, section 1): no clock, no random source, no I/O. The group room fills a group_input
// from its state; registry.hpp finds an assignor by name; validate.hpp runs one and checks what it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::assignor {

/// Subtopology id -> partitions. A set without partitions means the same as no entry.
using task_set = std::map<std::string, std::set<std::int32_t>, std::less<>>;

/// Tag key -> value.
using tag_map = std::map<std::string, std::string>;

/// A piece of one of the lists of a group_input: begin .. end - 1.
struct slice {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  /// Of places that a vector of less than 2^32 elements has.
  [[nodiscard]] static slice between(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  [[nodiscard]] bool empty() const { return begin == end; }
};

/// Sum of the changelog offsets (or end offsets) of a task.
struct reported_offset {
  std::int32_t task = 0;
  std::int64_t sum = 0;  ///< the largest int64: not known yet
};

/// What an assignor may know of one member (spec 01, 7.4). Strings and maps are borrowed: they must outlive the call of
/// assign. Slices are pieces of the lists of its group_input, in ascending order of the tasks, no task twice.
struct member_input {
  std::string_view member_id;   ///< unique in the group
  std::string_view process_id;  ///< members of equal process id share a machine and a state directory
  // java_hash of these ids: equal ids have equal hashes. Only for who decides ties as Kafka does.
  std::int32_t member_hash = 0;
  std::int32_t process_hash = 0;
  // In group_input::tasks
  slice active;    ///< currently assigned, not the target; without tasks pending revocation
  slice standby;   ///< likewise
  slice warmup;    ///< likewise
  slice revoking;  ///< active tasks it was told to give up and has not released yet
  // In group_input::offsets
  slice task_offsets;      ///< last report of the member
  slice task_end_offsets;  ///< likewise
  std::optional<std::string_view> instance_id;
  std::optional<std::string_view> rack_id;
  const tag_map* client_tags = nullptr;  ///< null: none
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

/// A warm-up that did not get on. While it rests its turn comes after all others, then after those that always did, the
/// one that was stuck less often first. Borrowed.
struct stuck_warm_up {
  std::string_view subtopology_id;
  std::int32_t partition = 0;
  std::string_view process_id;  ///< where the task is to run
  bool rests = true;
  std::int32_t times = 1;  ///< stuck in a row
};

enum class task_role : std::uint8_t { active, standby };

/// A task that a member holds and that the topology does not have any more: no assignor looks at it. Borrowed.
struct gone_task {
  std::string_view member_id;
  task_role role = task_role::active;
  std::string_view subtopology_id;
  std::int32_t partition = 0;
};

/// Everything an assignor decides from. Members may come in any order: what a member gets depends only on the content
/// (spec 03, 9.1 T19).
///
/// Tasks are numbers: partition p of a subtopology is p plus the tasks of all subtopologies before it. Only tasks that
/// exist have one (task_numbers.hpp makes them).
struct group_input {
  std::vector<member_input> members;
  std::vector<subtopology_input> subtopologies;  ///< ascending by id
  std::vector<std::int32_t> tasks;               ///< of all members; slices tell whose is what
  std::vector<reported_offset> offsets;          ///< likewise
  std::vector<gone_task> gone;                   ///< for those who tell what changed
  std::int32_t standby_replicas = 0;  ///< standbys wanted for each stateful task; not negative
  std::vector<std::string> rack_aware_tags;  ///< keys of client tags, the most important first
  std::int32_t warmup_replicas = 2;          ///< warm-up tasks of the whole group at one time; 0: tasks move at once
  std::int32_t warmups_elsewhere = 0;        ///< of these, with members that are not among `members`
  std::int64_t acceptable_recovery_lag = 10'000;  ///< a copy that is not farther behind has caught up
  std::int32_t failover_slack = 0;  ///< tasks above its share that a process may get because it has caught up on them
  bool keep_old_standbys = false;   ///< a standby that moves stays until its successor has caught up
  std::vector<stuck_warm_up> stuck;  ///< for refine.hpp only

  [[nodiscard]] std::span<const std::int32_t> tasks_of(slice piece) const {
    return {tasks.data() + piece.begin, piece.end - piece.begin};
  }
  [[nodiscard]] std::span<const reported_offset> offsets_of(slice piece) const {
    return {offsets.data() + piece.begin, piece.end - piece.begin};
  }
};

/// Tasks by who holds them, in one flat list: those of holder h are tasks[first[h]] .. tasks[first[h + 1] - 1],
/// ascending.
struct task_lists {
  std::vector<std::size_t> first = {0};  ///< one more than holders; never empty
  std::vector<std::int32_t> tasks;

  [[nodiscard]] std::size_t holders() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::int32_t> of(std::size_t holder) const {
    return {tasks.data() + first[holder], first[holder + 1] - first[holder]};
  }
  /// What has been added to `tasks` since the last call is what one more holder has.
  void end_list() { first.push_back(tasks.size()); }

  bool operator==(const task_lists&) const = default;
};

/// What each member shall hold. The holders are the members of the input, in that order; tasks are numbers.
struct flat_plan {
  task_lists active;
  task_lists standby;

  bool operator==(const flat_plan&) const = default;
};

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

  /// The new target of the whole group. Equal content gives everybody the same. Fails if the input cannot be served,
  /// e.g. tasks but no member.
  [[nodiscard]] virtual result<flat_plan> assign(const group_input& input) const = 0;
};

}  // namespace weir::assignor
