#include "assignor/quotas.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace weir::assignor {

namespace {

// Shares of a number of tasks, by threads.
struct rounded_shares {
  std::vector<std::int32_t> floor;
  std::vector<std::int64_t> rest;  // what the division left; 0: the share is whole
  std::int64_t extras = 0;         // tasks that the rounded-down shares leave

  rounded_shares(const dense_group& group, std::int32_t tasks) : extras(tasks) {
    const auto members = std::max<std::int64_t>(1, group.member_count());
    for (const auto threads : group.threads) {
      const auto product = std::int64_t{threads} * tasks;
      floor.push_back(static_cast<std::int32_t>(product / members));
      rest.push_back(product % members);
      extras -= floor.back();
    }
  }
};

// Processes whose share is not whole, by `key`.
template <class Key>
std::vector<std::int32_t> in_line(const rounded_shares& of, Key key) {
  std::vector<std::int32_t> processes;
  for (std::size_t i = 0; i < of.rest.size(); ++i) {
    if (of.rest[i] > 0) processes.push_back(static_cast<std::int32_t>(i));
  }
  std::sort(processes.begin(), processes.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  return processes;
}

// A process whose two shares have one floor needs an extra of the total, too, if it gets a stateful one: no more such
// than the total has extras.
std::vector<std::int32_t> divide_stateful(const rounded_shares& stateful, const rounded_shares& total,
                                          const present_load& present) {
  auto quotas = stateful.floor;
  auto extras = stateful.extras;
  auto bound_extras = total.extras;
  const auto line = in_line(stateful, [&](std::int32_t p) {
    const auto held = present.stateful[at(p)];
    const auto floor = stateful.floor[at(p)];
    return std::tuple(held <= floor, held + present.caught_up_orphans[at(p)] <= floor, -stateful.rest[at(p)], p);
  });
  for (const auto p : line) {
    if (extras == 0) break;
    const bool is_bound = stateful.floor[at(p)] == total.floor[at(p)];
    if (is_bound && bound_extras == 0) continue;
    if (is_bound) --bound_extras;
    ++quotas[at(p)];
    --extras;
  }
  return quotas;
}

std::vector<std::int32_t> divide_total(const rounded_shares& total, const rounded_shares& stateful,
                                       const std::vector<std::int32_t>& stateful_quotas, const present_load& present) {
  auto quotas = total.floor;
  auto extras = total.extras;
  const auto line = in_line(total, [&](std::int32_t p) {
    const auto mine = stateful_quotas[at(p)];
    return std::tuple(total.floor[at(p)] >= mine, mine <= stateful.floor[at(p)],
                      present.total[at(p)] <= total.floor[at(p)], -total.rest[at(p)], p);
  });
  for (const auto p : line) {
    if (extras-- == 0) break;
    ++quotas[at(p)];
  }
  return quotas;
}

}  // namespace

process_quotas divide_among_processes(const dense_group& group, const present_load& present) {
  const rounded_shares stateful(group, group.stateful_tasks);
  const rounded_shares total(group, group.task_count());
  process_quotas quotas;
  quotas.stateful = divide_stateful(stateful, total, present);
  quotas.total = divide_total(total, stateful, quotas.stateful, present);
  return quotas;
}

}  // namespace weir::assignor
