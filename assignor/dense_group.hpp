// A group_input in dense integers, which the assignor's inner loops work on. All ids are sorted, or follow from the ids
// alone as Java's hash maps do, so that nothing depends on the order of the input (spec 03, 1.3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "assignor/assignor.hpp"
#include "base/result.hpp"

namespace weir::assignor {

/// Stands for "no member", "no process".
inline constexpr std::int32_t nobody = -1;

/// A number as an index.
inline std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

/// Most tasks and standbys one group may have: bounds the memory of an assignment, far above what a group can run.
inline constexpr std::int64_t task_copies_max = 2'000'000;

/// How members and processes are numbered.
enum class visiting : std::uint8_t {
  by_id,
  as_java,  ///< in the order in which Kafka visits them (java_visiting.hpp)
};

/// Members are numbered by member id and processes by process id, unless as_java is asked for; subtopologies by id;
/// tasks by (subtopology, partition).
/// Borrows from the group_input it was made of.
struct dense_group {
  std::vector<const member_input*> members;
  std::vector<const subtopology_input*> subtopologies;
  std::vector<std::int32_t> first_task;  ///< of each subtopology; one more at the end: the number of tasks
  std::vector<std::int32_t> process_of;  ///< member -> process
  std::vector<std::int32_t> threads;     ///< process -> number of members
  std::vector<std::int32_t> by_process;  ///< members by process; those of one by number, or as Kafka visits them
  std::vector<std::int32_t> by_hash;     ///< subtopologies where find_index looks for them; a power of two, half empty
  std::int32_t stateful_tasks = 0;
  std::int32_t standby_replicas = 0;       ///< as configured
  std::int32_t standby_replicas_here = 0;  ///< as far as there are processes for them

  /// Fails on two members or subtopologies of one id, negative counts, and more than task_copies_max tasks and
  /// standbys.
  static result<dense_group> make(const group_input& input, visiting order = visiting::by_id);

  [[nodiscard]] std::int32_t member_count() const { return static_cast<std::int32_t>(members.size()); }
  [[nodiscard]] std::int32_t process_count() const { return static_cast<std::int32_t>(threads.size()); }
  [[nodiscard]] std::int32_t task_count() const { return first_task.back(); }

  /// Subtopology of a task.
  [[nodiscard]] std::int32_t subtopology_of(std::int32_t task) const;

  /// Tasks ordered by (partition, subtopology id): one partition of every subtopology after the other.
  [[nodiscard]] std::vector<std::int32_t> tasks_by_partition() const;

  /// Members of a process, in the order of by_process. `first_members` is what first_members() gives.
  [[nodiscard]] std::span<const std::int32_t> members_of(std::int32_t process,
                                                         const std::vector<std::size_t>& first_members) const {
    return {by_process.data() + first_members[at(process)], at(threads[at(process)])};
  }

  /// Process -> place of its first member in by_process.
  [[nodiscard]] std::vector<std::size_t> first_members() const;

  /// Index of a member, or nobody. Only for members numbered by id.
  [[nodiscard]] std::int32_t find_member(std::string_view member_id) const;

  /// Index of a subtopology, or nobody.
  [[nodiscard]] std::int32_t find_index(std::string_view id) const {
    for (auto slot = std::hash<std::string_view>{}(id);; ++slot) {
      const auto found = by_hash[slot & (by_hash.size() - 1)];
      if (found == nobody || subtopologies[at(found)]->id == id) return found;
    }
  }

  /// The subtopology of that id, or null.
  [[nodiscard]] const subtopology_input* find_subtopology(std::string_view id) const;

  /// Calls visit(task, value) in task order for each existing task of a map subtopology -> container of partitions,
  /// value being the element of the container. A null map has none.
  template <class Map, class Visitor>
  void each_task(const Map* tasks, Visitor visit) const;
};

/// Partition of an element of a set of partitions or of a map partition -> offset.
inline std::int32_t partition_of(std::int32_t partition) { return partition; }
inline std::int32_t partition_of(const std::pair<const std::int32_t, std::int64_t>& offset) { return offset.first; }

template <class Map, class Visitor>
void dense_group::each_task(const Map* tasks, Visitor visit) const {
  if (tasks == nullptr) return;
  for (const auto& [id, partitions] : *tasks) {
    const auto index = find_index(id);
    if (index == nobody) continue;
    const auto first = first_task[at(index)];
    const auto count = first_task[at(index) + 1] - first;
    for (const auto& element : partitions) {
      const auto partition = partition_of(element);
      if (partition >= 0 && partition < count) visit(first + partition, element);
    }
  }
}

}  // namespace weir::assignor
