#include "assignor/dense_plan.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/assert.hpp"

namespace weir::assignor {

namespace {

// The tasks of each member, in task order: those of member m are tasks[first[m]] .. tasks[first[m + 1] - 1].
struct tasks_by_member {
  std::vector<std::size_t> first;
  std::vector<std::int32_t> tasks;

  explicit tasks_by_member(std::size_t members) : first(members + 1, 0) {}

  [[nodiscard]] std::span<const std::int32_t> of(std::size_t member) const {
    return {tasks.data() + first[member], first[member + 1] - first[member]};
  }
};

// Counting sort: `each(visit)` calls visit(member, task) for every pair, in task order, and is called twice.
template <class Each>
tasks_by_member sort_by_member(std::size_t members, Each each) {
  tasks_by_member sorted(members);
  each([&](std::int32_t member, std::int32_t) { ++sorted.first[static_cast<std::size_t>(member) + 1]; });
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  sorted.tasks.resize(sorted.first.back());
  auto next = sorted.first;
  each([&](std::int32_t member, std::int32_t task) { sorted.tasks[next[static_cast<std::size_t>(member)]++] = task; });
  return sorted;
}

task_set to_task_set(const dense_group& group, std::span<const std::int32_t> tasks) {
  task_set named;
  std::set<std::int32_t>* partitions = nullptr;
  std::int32_t first = 0;
  std::int32_t after = 0;  // tasks of the current subtopology: first .. after - 1
  for (const auto task : tasks) {
    if (task >= after) {
      const auto subtopology = static_cast<std::size_t>(group.subtopology_of(task));
      first = group.first_task[subtopology];
      after = group.first_task[subtopology + 1];
      partitions = &named.try_emplace(named.end(), std::string(group.subtopologies[subtopology]->id))->second;
    }
    partitions->insert(partitions->end(), task - first);
  }
  return named;
}

}  // namespace

std::vector<task_set> named_tasks(const dense_group& group, std::span<const placed_task> placed) {
  const auto by_member = sort_by_member(group.members.size(), [&](auto visit) {
    for (const auto& [member, task] : placed) visit(member, task);
  });
  std::vector<task_set> named;
  named.reserve(group.members.size());
  for (std::size_t member = 0; member < group.members.size(); ++member) {
    named.push_back(to_task_set(group, by_member.of(member)));
  }
  return named;
}

dense_plan::dense_plan(const dense_group& group) : group_(&group), held_(index(group.task_count()), 0) {
  first_slot_.reserve(held_.size() + 1);
  std::size_t slots = 0;
  for (const auto* subtopology : group.subtopologies) {
    const auto copies = index(1 + (subtopology->stateful ? group.standby_replicas_here : 0));
    for (std::int32_t partition = 0; partition < subtopology->tasks; ++partition, slots += copies) {
      first_slot_.push_back(slots);
    }
  }
  first_slot_.push_back(slots);
  members_.resize(slots, nobody);
  processes_.resize(slots, nobody);
}

void dense_plan::set_active(std::int32_t task, std::int32_t member) {
  WEIR_ASSERT(held_[index(task)] == 0);
  hold(task, member);
}

void dense_plan::add_standby(std::int32_t task, std::int32_t member) {
  WEIR_ASSERT(held_[index(task)] > 0 && standbys(task) < standbys_wanted(task));
  hold(task, member);
}

void dense_plan::hold(std::int32_t task, std::int32_t member) {
  WEIR_ASSERT(member != nobody);
  const auto slot = first_slot_[index(task)] + index(held_[index(task)]++);
  members_[slot] = member;
  processes_[slot] = group_->process_of[index(member)];
}

plan dense_plan::to_plan() const {
  const auto members = group_->members.size();
  const auto active = sort_by_member(members, [&](auto visit) {
    for (std::int32_t task = 0; task < group_->task_count(); ++task) visit(members_[first_slot_[index(task)]], task);
  });
  const auto standby = sort_by_member(members, [&](auto visit) {
    for (std::int32_t task = 0; task < group_->task_count(); ++task) {
      const auto first = first_slot_[index(task)];
      for (std::size_t i = 1; i < index(held_[index(task)]); ++i) visit(members_[first + i], task);
    }
  });
  plan named;
  for (std::size_t member = 0; member < members; ++member) {
    named.try_emplace(named.end(), std::string(group_->members[member]->member_id),
                      member_plan{to_task_set(*group_, active.of(member)), to_task_set(*group_, standby.of(member))});
  }
  return named;
}

}  // namespace weir::assignor
