// Tasks by who holds them, members or processes: one flat list instead of a list each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "assignor/assignor.hpp"
#include "assignor/dense_group.hpp"

namespace weir::assignor {

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
