// Tasks by who holds them, members or processes: one flat list instead of a list each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// The tasks of each holder, in task order: those of h are tasks[first[h]] .. tasks[first[h + 1] - 1].
struct task_lists {
  std::vector<std::size_t> first;
  std::vector<std::int32_t> tasks;

  [[nodiscard]] std::span<const std::int32_t> of(std::size_t holder) const {
    return {tasks.data() + first[holder], first[holder + 1] - first[holder]};
  }
};

/// Counting sort: `each(visit)` calls visit(holder, task) for every pair, in task order, and is called twice.
template <class Each>
[[nodiscard]] task_lists sort_by_holder(std::size_t holders, Each each) {
  task_lists sorted{std::vector<std::size_t>(holders + 1, 0), {}};
  each([&](std::int32_t holder, std::int32_t) { ++sorted.first[at(holder) + 1]; });
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  sorted.tasks.resize(sorted.first.back());
  auto next = sorted.first;
  each([&](std::int32_t holder, std::int32_t task) { sorted.tasks[next[at(holder)]++] = task; });
  return sorted;
}

}  // namespace weir::assignor
