#include "assignor/holders.hpp"

#include <algorithm>
#include <numeric>

namespace weir::assignor {

holders::holders(const dense_group& group)
    : owners_(static_cast<std::size_t>(group.task_count()), nobody),
      first_(static_cast<std::size_t>(group.task_count()) + 1, 0) {
  if (group.input->tasks.empty() && group.input->offsets.empty()) return;  // a new group
  find_owners(group);
  index_candidates(find_candidates(group));
}

void holders::find_owners(const dense_group& group) {
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    for (const auto task : group.active(member)) owners_[at(task)] = member;
  }
}

std::vector<holders::candidate> holders::find_candidates(const dense_group& group) {
  std::vector<candidate> found;
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    const auto standbys = static_cast<std::ptrdiff_t>(found.size());
    for (const auto task : group.standby(member)) found.push_back({task, member, 0, true});
    const auto last = static_cast<std::ptrdiff_t>(found.size());
    auto standby = standbys;  // both lists are in task order
    for (const auto& [task, offset] : group.offsets(member)) {
      while (standby < last && found[static_cast<std::size_t>(standby)].task < task) ++standby;
      if (standby < last && found[static_cast<std::size_t>(standby)].task == task) {
        found[static_cast<std::size_t>(standby)].offset = offset;
      } else {
        found.push_back({task, member, offset, false});
      }
    }
  }
  return found;
}

// Counting sort by task, which keeps the order of members; then each task's few candidates by preference.
void holders::index_candidates(std::vector<candidate> found) {
  if (found.empty()) return;
  for (const auto& entry : found) ++first_[static_cast<std::size_t>(entry.task) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<candidate> by_task(found.size());
  auto next = first_;
  for (const auto& entry : found) {
    by_task[static_cast<std::size_t>(next[static_cast<std::size_t>(entry.task)]++)] = entry;
  }
  for (std::size_t task = 0; task + 1 < first_.size(); ++task) {
    if (first_[task + 1] - first_[task] < 2) continue;
    std::stable_sort(by_task.begin() + first_[task], by_task.begin() + first_[task + 1],
                     [](const candidate& a, const candidate& b) {
                       return a.standby != b.standby ? a.standby : a.offset > b.offset;
                     });
  }
  members_.reserve(by_task.size());
  for (const auto& entry : by_task) members_.push_back(entry.member);
}

}  // namespace weir::assignor
