#include "assignor/replicas.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/saturated.hpp"

namespace weir::assignor {

namespace {

bool is_known(std::int64_t offset) { return offset >= 0 && offset != lag_unknown; }

// Task -> the highest end offset that any member reported, or lag_unknown; of the tasks that are asked for.
std::vector<std::int64_t> reported_ends(const dense_group& group, const std::vector<bool>& asked) {
  std::vector<std::int64_t> ends(at(group.task_count()), lag_unknown);
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    for (const auto& [task, end] : group.end_offsets(member)) {
      if (!asked[at(task)] || !is_known(end)) continue;
      auto& known = ends[at(task)];
      known = known == lag_unknown ? end : std::max(known, end);
    }
  }
  return ends;
}

// End offsets are a little older than offsets: clients that have restored all report one more than the end, and the end
// may be another member's of a while ago.
constexpr std::int64_t beyond_end_max = 10'000;

// An offset far beyond the end is suspicious: nothing of it counts (spec 03, 8.2).
std::int64_t lag_of(std::int64_t offset, std::int64_t end, std::int64_t acceptable_lag) {
  if (end == lag_unknown) return lag_unknown;
  if (offset <= end) return saturated_difference(end, offset);
  return saturated_difference(offset, end) <= std::max(acceptable_lag, beyond_end_max) ? 0 : end;
}

}  // namespace

replicas::replicas(const dense_group& group, std::int64_t acceptable_lag)
    : replicas(group, acceptable_lag, stateful_tasks(group)) {}

replicas::replicas(const dense_group& group, std::int64_t acceptable_lag, const std::vector<bool>& asked) {
  if (std::find(asked.begin(), asked.end(), true) != asked.end()) {
    add_held(group, asked);
    add_reported(group, asked, acceptable_lag);
  }
  sort_by_task(at(group.task_count()));
  merge();
  rank(acceptable_lag);
}

const replica* replicas::find(std::int32_t task, std::int32_t process) const {
  const auto all = of(task);
  const auto found = std::find_if(all.begin(), all.end(), [&](const replica& r) { return r.process == process; });
  return found == all.end() ? nullptr : &*found;
}

void replicas::add_held(const dense_group& group, const std::vector<bool>& asked) {
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    const auto process = group.process_of[at(member)];
    for (const auto task : group.standby(member)) {
      if (!asked[at(task)]) continue;
      auto& added = replicas_.emplace_back();
      std::tie(added.task, added.process, added.standby) = std::tuple(task, process, member);
    }
    for (const auto task : group.warmup(member)) {
      if (!asked[at(task)]) continue;
      auto& added = replicas_.emplace_back();
      std::tie(added.task, added.process, added.warmup) = std::tuple(task, process, member);
    }
  }
}

// The end is what the member itself reported; else the highest that anybody did.
void replicas::add_reported(const dense_group& group, const std::vector<bool>& asked, std::int64_t acceptable_lag) {
  const auto ends = reported_ends(group, asked);
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    const auto own_ends = group.end_offsets(member);  // in task order, as the offsets
    auto own = own_ends.begin();
    for (const auto& [task, offset] : group.offsets(member)) {
      if (!asked[at(task)] || !is_known(offset)) continue;
      while (own != own_ends.end() && own->task < task) ++own;
      const bool has_own = own != own_ends.end() && own->task == task && is_known(own->sum);
      const auto end = has_own ? own->sum : ends[at(task)];
      auto& added = replicas_.emplace_back();
      added.task = task;
      added.process = group.process_of[at(member)];
      added.offset = offset;
      added.lag = lag_of(offset, end, acceptable_lag);
    }
  }
}

void replicas::count(std::size_t tasks) {
  first_.assign(tasks + 1, 0);
  for (const auto& found : replicas_) ++first_[at(found.task) + 1];
  for (std::size_t task = 0; task < tasks; ++task) first_[task + 1] += first_[task];
}

// Counting sort by task, then each task's few by process.
void replicas::sort_by_task(std::size_t tasks) {
  count(tasks);
  std::vector<replica> sorted(replicas_.size());
  auto next = first_;
  for (const auto& found : replicas_) sorted[next[at(found.task)]++] = found;
  replicas_ = std::move(sorted);
  for (std::size_t task = 0; task < tasks; ++task) {
    if (first_[task + 1] - first_[task] < 2) continue;
    std::stable_sort(replicas_.begin() + static_cast<std::ptrdiff_t>(first_[task]),
                     replicas_.begin() + static_cast<std::ptrdiff_t>(first_[task + 1]),
                     [](const replica& a, const replica& b) { return a.process < b.process; });
  }
}

// One entry for each task and process: the report that is least behind, and whatever role was found.
void replicas::merge() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const auto& found = replicas_[i];
    if (kept == 0 || replicas_[kept - 1].task != found.task || replicas_[kept - 1].process != found.process) {
      replicas_[kept++] = found;
      continue;
    }
    auto& into = replicas_[kept - 1];
    if (std::pair(found.lag, -found.offset) < std::pair(into.lag, -into.offset)) {
      into.lag = found.lag;
      into.offset = found.offset;
    }
    if (into.standby == nobody) into.standby = found.standby;
    if (into.warmup == nobody) into.warmup = found.warmup;
  }
  replicas_.resize(kept);
  count(first_.size() - 1);
}

void replicas::rank(std::int64_t acceptable_lag) {
  for (auto& found : replicas_) found.caught_up = found.lag != lag_unknown && found.lag <= acceptable_lag;
  const auto key = [](const replica& r) {
    return std::tuple(!r.caught_up, r.caught_up ? r.lag : 0, -r.offset, r.process);
  };
  for (std::size_t task = 0; task + 1 < first_.size(); ++task) {
    if (first_[task + 1] - first_[task] < 2) continue;
    std::sort(replicas_.begin() + static_cast<std::ptrdiff_t>(first_[task]),
              replicas_.begin() + static_cast<std::ptrdiff_t>(first_[task + 1]),
              [&](const replica& a, const replica& b) { return key(a) < key(b); });
  }
}

std::vector<std::int32_t> present_owners(const dense_group& group) {
  std::vector<std::int32_t> owners(at(group.task_count()), nobody);
  const auto claim = [&](std::span<const std::int32_t> tasks, std::int32_t member) {
    for (const auto task : tasks) {
      if (owners[at(task)] == nobody) owners[at(task)] = member;
    }
  };
  for (std::int32_t member = 0; member < group.member_count(); ++member) claim(group.active(member), member);
  for (std::int32_t member = 0; member < group.member_count(); ++member) claim(group.revoking(member), member);
  return owners;
}

std::vector<bool> stateful_tasks(const dense_group& group) {
  std::vector<bool> stateful;
  stateful.reserve(at(group.task_count()));
  for (const auto& subtopology : group.subtopologies) {
    stateful.insert(stateful.end(), at(subtopology.tasks), subtopology.stateful);
  }
  return stateful;
}

}  // namespace weir::assignor
