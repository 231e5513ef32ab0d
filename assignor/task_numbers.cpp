#include "assignor/task_numbers.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <string>

namespace weir::assignor {

std::vector<std::int32_t> first_tasks(std::span<const subtopology_input> subtopologies) {
  std::vector<std::int32_t> first;
  first.reserve(subtopologies.size() + 1);
  first.push_back(0);
  bool fits = true;
  for (const auto& subtopology : subtopologies) {
    const auto tasks = std::max(0, subtopology.tasks);
    fits = fits && tasks <= std::numeric_limits<std::int32_t>::max() - first.back();
    first.push_back(first.back() + (fits ? tasks : 0));
  }
  return first;
}

task_set named_tasks(std::span<const subtopology_input> subtopologies, std::span<const std::int32_t> first_task,
                     std::span<const std::int32_t> tasks) {
  task_set named;
  std::set<std::int32_t>* partitions = nullptr;
  std::int32_t first = 0;
  std::int32_t after = 0;  // tasks of the current subtopology: first .. after - 1
  for (const auto task : tasks) {
    if (task >= after) {
      const auto next = std::upper_bound(first_task.begin(), first_task.end() - 1, task);
      const auto subtopology = static_cast<std::size_t>(next - first_task.begin()) - 1;
      first = first_task[subtopology];
      after = first_task[subtopology + 1];
      partitions = &named.try_emplace(named.end(), std::string(subtopologies[subtopology].id))->second;
    }
    partitions->insert(partitions->end(), task - first);
  }
  return named;
}

task_numbers::task_numbers(std::span<const subtopology_input> subtopologies) {
  const auto first = first_tasks(subtopologies);
  by_hash_.assign(std::bit_ceil(2 * subtopologies.size() + 1), -1);
  entries_.reserve(subtopologies.size());
  for (std::size_t i = 0; i < subtopologies.size(); ++i) {
    auto slot = std::hash<std::string_view>{}(subtopologies[i].id);
    while (by_hash_[slot & (by_hash_.size() - 1)] >= 0) ++slot;
    by_hash_[slot & (by_hash_.size() - 1)] = static_cast<std::int32_t>(i);
    entries_.push_back({subtopologies[i].id, {first[i], first[i + 1] - first[i]}});
  }
}

task_numbers::range task_numbers::of(std::string_view subtopology_id) const {
  for (auto slot = std::hash<std::string_view>{}(subtopology_id);; ++slot) {
    const auto found = by_hash_[slot & (by_hash_.size() - 1)];
    if (found < 0) return {};
    const auto& [id, tasks] = entries_[static_cast<std::size_t>(found)];
    if (id == subtopology_id) return tasks;
  }
}

bool task_numbers::are_same(const task_set& named, std::span<const std::int32_t> tasks) const {
  auto next = tasks.begin();
  for (const auto& [id, partitions] : named) {
    const auto known = of(id);
    if (partitions.empty()) return false;
    for (const auto partition : partitions) {
      if (next == tasks.end() || !known.has(partition) || *next != known.first + partition) return false;
      ++next;
    }
  }
  return next == tasks.end();
}

}  // namespace weir::assignor
