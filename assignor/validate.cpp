#include "assignor/validate.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assignor/dense_group.hpp"
#include "assignor/replicas.hpp"

namespace weir::assignor {

namespace {

// T3, and that each member's list can be looked at.
result<void> check_form(const task_lists& lists, const dense_group& group) {
  if (lists.first.size() != group.members.size() + 1) {
    return fail("the plan is for " + std::to_string(std::max<std::size_t>(lists.first.size(), 1) - 1) +
                " members, the group has " + std::to_string(group.members.size()));
  }
  const bool ascends = std::is_sorted(lists.first.begin(), lists.first.end());
  if (lists.first.front() == 0 && ascends && lists.first.back() == lists.tasks.size()) return {};
  return fail("the lists of the plan do not fit together");
}

// T2, the first half of T4, and the order.
result<void> check_tasks(const task_lists& lists, const dense_group& group, bool standby) {
  const auto is_stateful = standby ? stateful_tasks(group) : std::vector<bool>();
  for (std::size_t place = 0; place < lists.holders(); ++place) {
    auto before = nobody;
    for (const auto task : lists.of(place)) {
      if (task < 0 || task >= group.task_count()) {
        return fail("the plan names task number " + std::to_string(task) + ", which does not exist");
      }
      if (task <= before) return fail("the plan lists " + task_name(group, task) + " twice or out of order");
      if (standby && !is_stateful[at(task)]) {
        return fail("the plan has a standby of the stateless subtopology " +
                    std::string(group.subtopologies[at(group.subtopology_of(task))].id));
      }
      before = task;
    }
  }
  return {};
}

// Copies of each task in a plan whose lists are known to be good.
class copy_count {
 public:
  explicit copy_count(const dense_group& group)
      : group_(group), active_(tasks()), standby_(tasks()), last_process_(tasks(), nobody) {}

  // Second half of T4. Members must come process by process.
  result<void> add(std::int32_t member, const flat_plan& held) {
    const auto process = group_.process_of[at(member)];
    auto twice = nobody;
    const auto add_all = [&](std::span<const std::int32_t> tasks, std::vector<std::int32_t>& copies) {
      for (const auto task : tasks) {
        ++copies[at(task)];
        if (std::exchange(last_process_[at(task)], process) == process) twice = task;
      }
    };
    add_all(held.active.of(group_.place_of(member)), active_);
    add_all(held.standby.of(group_.place_of(member)), standby_);
    if (twice != nobody) return fail("task " + task_name(group_, twice) + " is held twice by one process");
    return {};
  }

  // T1 and T5, after all members.
  [[nodiscard]] result<void> check() const {
    std::int32_t task = 0;
    for (const auto& subtopology : group_.subtopologies) {
      const auto wanted = subtopology.stateful ? group_.standby_replicas_here : 0;
      for (std::int32_t partition = 0; partition < subtopology.tasks; ++partition, ++task) {
        if (active_[at(task)] == 1 && standby_[at(task)] == wanted) continue;
        return fail("task " + task_name(group_, task) + " is active on " + std::to_string(active_[at(task)]) +
                    " members and has " + std::to_string(standby_[at(task)]) + " standbys instead of " +
                    std::to_string(wanted));
      }
    }
    return {};
  }

 private:
  [[nodiscard]] std::size_t tasks() const { return at(group_.task_count()); }

  const dense_group& group_;
  std::vector<std::int32_t> active_;
  std::vector<std::int32_t> standby_;
  std::vector<std::int32_t> last_process_;
};

result<void> check_copies(const flat_plan& checked, const dense_group& group) {
  copy_count copies(group);
  for (const auto member : group.by_process) {
    if (auto added = copies.add(member, checked); !added) return added;
  }
  return copies.check();
}

}  // namespace

result<flat_plan> checked_assign(const assignor& chosen, const group_input& input) {
  auto made = chosen.assign(input);
  if (!made) return made;
  if (const auto valid = validate(*made, input); !valid) {
    return fail("assignor " + std::string(chosen.name()) + ": " + valid.error().message);
  }
  return made;
}

result<void> validate(const flat_plan& checked, const group_input& input) {
  const auto group = dense_group::make(input);
  if (!group) return tl::unexpected(group.error());
  for (const auto* lists : {&checked.active, &checked.standby}) {
    if (auto form = check_form(*lists, *group); !form) return form;
    if (auto tasks = check_tasks(*lists, *group, lists == &checked.standby); !tasks) return tasks;
  }
  return check_copies(checked, *group);
}

}  // namespace weir::assignor
