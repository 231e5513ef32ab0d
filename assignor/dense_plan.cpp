#include "assignor/dense_plan.hpp"

#include <algorithm>
#include <string>

#include "assignor/task_lists.hpp"
#include "base/assert.hpp"

namespace weir::assignor {

namespace {

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
  const auto by_member = sort_by_holder(group.members.size(), [&](auto visit) {
    for (const auto& [member, task] : placed) visit(member, task);
  });
  std::vector<task_set> named;
  named.reserve(group.members.size());
  for (std::size_t member = 0; member < group.members.size(); ++member) {
    named.push_back(to_task_set(group, by_member.of(member)));
  }
  return named;
}

dense_plan::dense_plan(const dense_group& group) : group_(&group), held_(at(group.task_count()), 0) {
  first_slot_.reserve(held_.size() + 1);
  std::size_t slots = 0;
  for (const auto* subtopology : group.subtopologies) {
    const auto copies = at(1 + (subtopology->stateful ? group.standby_replicas_here : 0));
    for (std::int32_t partition = 0; partition < subtopology->tasks; ++partition, slots += copies) {
      first_slot_.push_back(slots);
    }
  }
  first_slot_.push_back(slots);
  members_.resize(slots, nobody);
  processes_.resize(slots, nobody);
}

void dense_plan::set_active(std::int32_t task, std::int32_t member) {
  WEIR_ASSERT(held_[at(task)] == 0);
  hold(task, member);
}

void dense_plan::add_standby(std::int32_t task, std::int32_t member) {
  WEIR_ASSERT(held_[at(task)] > 0 && standbys(task) < standbys_wanted(task));
  hold(task, member);
}

void dense_plan::hold(std::int32_t task, std::int32_t member) {
  WEIR_ASSERT(member != nobody);
  const auto slot = first_slot_[at(task)] + at(held_[at(task)]++);
  members_[slot] = member;
  processes_[slot] = group_->process_of[at(member)];
}

plan dense_plan::to_plan() const {
  const auto members = group_->members.size();
  const auto active = sort_by_holder(members, [&](auto visit) {
    for (std::int32_t task = 0; task < group_->task_count(); ++task) visit(members_[first_slot_[at(task)]], task);
  });
  const auto standby = sort_by_holder(members, [&](auto visit) {
    for (std::int32_t task = 0; task < group_->task_count(); ++task) {
      const auto first = first_slot_[at(task)];
      for (std::size_t i = 1; i < at(held_[at(task)]); ++i) visit(members_[first + i], task);
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
