#include "assignor/dense_plan.hpp"

#include "assignor/task_lists.hpp"
#include "assignor/task_numbers.hpp"
#include "base/assert.hpp"

namespace weir::assignor {

std::vector<task_set> named_tasks(const dense_group& group, std::span<const placed_task> placed) {
  const auto by_member = sort_by_holder(group.members.size(), [&](auto visit) {
    for (const auto& [member, task] : placed) visit(member, task);
  });
  std::vector<task_set> named;
  named.reserve(group.members.size());
  for (std::size_t member = 0; member < group.members.size(); ++member) {
    named.push_back(named_tasks(group.subtopologies, group.first_task, by_member.of(member)));
  }
  return named;
}

dense_plan::dense_plan(const dense_group& group) : group_(&group), held_(at(group.task_count()), 0) {
  first_slot_.reserve(held_.size() + 1);
  std::size_t slots = 0;
  for (const auto& subtopology : group.subtopologies) {
    const auto copies = at(1 + (subtopology.stateful ? group.standby_replicas_here : 0));
    for (std::int32_t partition = 0; partition < subtopology.tasks; ++partition, slots += copies) {
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

flat_plan dense_plan::to_flat() const {
  const auto members = group_->members.size();
  std::vector<std::int32_t> place(members);
  for (std::int32_t member = 0; member < group_->member_count(); ++member) {
    place[at(member)] = static_cast<std::int32_t>(group_->place_of(member));
  }
  flat_plan flat;
  flat.active = sort_by_holder(members, [&](auto visit) {
    for (std::int32_t task = 0; task < group_->task_count(); ++task) {
      visit(place[at(members_[first_slot_[at(task)]])], task);
    }
  });
  flat.standby = sort_by_holder(members, [&](auto visit) {
    if (group_->standby_replicas_here == 0) return;
    for (std::int32_t task = 0; task < group_->task_count(); ++task) {
      const auto first = first_slot_[at(task)];
      for (std::size_t i = 1; i < at(held_[at(task)]); ++i) visit(place[at(members_[first + i])], task);
    }
  });
  return flat;
}

}  // namespace weir::assignor
