// Tasks by number (assignor.hpp), from names to numbers and back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assignor/assignor.hpp"

namespace weir::assignor {

/// Number of the first task of each subtopology, and one more at the end: the number of tasks. As if a subtopology with
/// a negative count had none, and all from the one on that goes beyond 2^31 - 1 tasks: no assignor serves such a group.
[[nodiscard]] std::vector<std::int32_t> first_tasks(std::span<const subtopology_input> subtopologies);

/// The same tasks with names. Ascending, of these subtopologies.
[[nodiscard]] task_set named_tasks(std::span<const subtopology_input> subtopologies,
                                   std::span<const std::int32_t> first_task, std::span<const std::int32_t> tasks);

/// Finds the numbers of tasks. Borrows the ids of the subtopologies.
class task_numbers {
 public:
  task_numbers() : task_numbers(std::span<const subtopology_input>()) {}
  explicit task_numbers(std::span<const subtopology_input> subtopologies);

  /// Tasks of one subtopology: first .. first + count - 1.
  struct range {
    std::int32_t first = 0;
    std::int32_t count = 0;

    [[nodiscard]] bool has(std::int32_t partition) const { return partition >= 0 && partition < count; }
  };

  /// None if there is no subtopology of that id.
  [[nodiscard]] range of(std::string_view subtopology_id) const;

  /// Appends the numbers of the tasks of a map subtopology -> partitions, or partition -> anything, that exist. Calls
  /// gone(subtopology id, partition) for each of the others. Returns what was appended.
  template <class Map, class Gone>
  slice append(const Map& named, std::vector<std::int32_t>& to, Gone gone) const;

  /// Likewise the sums of a map subtopology -> partition -> sum; leaves out what does not exist.
  template <class Map>
  slice append_sums(const Map& named, std::vector<reported_offset>& to) const;

  /// Whether the list has the tasks of the set and no others. A set with an entry without partitions is another one.
  [[nodiscard]] bool are_same(const task_set& named, std::span<const std::int32_t> tasks) const;

 private:
  struct entry {
    std::string_view id;
    range tasks;
  };

  std::vector<entry> entries_;       // of the subtopologies
  std::vector<std::int32_t> by_hash_;  // entries where of() looks for them, or -1; a power of two, half empty
};

/// Partition of an element of a set of partitions, or of a map of them.
inline std::int32_t partition_of(std::int32_t partition) { return partition; }
template <class Value>
std::int32_t partition_of(const std::pair<const std::int32_t, Value>& element) {
  return element.first;
}

template <class Map, class Gone>
slice task_numbers::append(const Map& named, std::vector<std::int32_t>& to, Gone gone) const {
  const auto begin = to.size();
  for (const auto& [id, partitions] : named) {
    const auto tasks = of(id);
    for (const auto& element : partitions) {
      const auto partition = partition_of(element);
      if (tasks.has(partition)) {
        to.push_back(tasks.first + partition);
      } else {
        gone(std::string_view(id), partition);
      }
    }
  }
  return slice::between(begin, to.size());
}

template <class Map>
slice task_numbers::append_sums(const Map& named, std::vector<reported_offset>& to) const {
  const auto begin = to.size();
  for (const auto& [id, sums] : named) {
    const auto tasks = of(id);
    for (const auto& [partition, sum] : sums) {
      if (tasks.has(partition)) to.push_back({tasks.first + partition, sum});
    }
  }
  return slice::between(begin, to.size());
}

}  // namespace weir::assignor
