// Tasks and sets of tasks. A task is (subtopology id, partition); its role is active, standby or warm-up (spec 01).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

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
/// What is reported of a task; nothing if nothing is, or if it stands for unknown (2^63 - 1).
[[nodiscard]] std::optional<std::int64_t> known_offset(const task_offsets& of, std::string_view subtopology,
                                                       std::int32_t partition) noexcept;

/// The tasks of an active set without their epochs.
[[nodiscard]] task_set without_epochs(const task_epochs& tasks);
[[nodiscard]] role_tasks without_epochs(const assigned_tasks& tasks);

/// Whether the task is in the set (task_set or task_epochs).
template <class Tasks>
[[nodiscard]] bool contains(const Tasks& tasks, std::string_view subtopology, std::int32_t partition) {
  auto found = tasks.find(subtopology);
  return found != tasks.end() && found->second.contains(partition);
}

/// Takes the task out of the set if it is there; leaves no entry without partitions.
void remove(task_set& tasks, std::string_view subtopology, std::int32_t partition);
void remove(task_epochs& tasks, std::string_view subtopology, std::int32_t partition);

/// Whether every task of `part` is in `whole`.
[[nodiscard]] bool is_subset(const task_set& part, const task_set& whole);
[[nodiscard]] bool is_subset(const task_set& part, const task_epochs& whole);

/// Whether no task is in both.
[[nodiscard]] bool are_disjoint(const task_set& a, const task_set& b);
[[nodiscard]] bool are_disjoint(const task_epochs& a, const task_set& b);

/// The same tasks, whatever the epochs.
[[nodiscard]] bool same_tasks(const task_epochs& a, const task_set& b);

/// How many tasks, over all subtopologies.
[[nodiscard]] std::size_t count(const task_set& tasks) noexcept;
[[nodiscard]] std::size_t count(const task_epochs& tasks) noexcept;

/// `1_3`, as Kafka's tools call a task.
[[nodiscard]] std::string task_name(std::string_view subtopology, std::int32_t partition);

/// For people: `0: 0-3, 5; 1: 2`, or `none`.
[[nodiscard]] std::string in_words(const task_set& tasks);

}  // namespace weir::group
