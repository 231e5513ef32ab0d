#include "assignor/validate.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

namespace {

std::string task_name(std::string_view subtopology, std::int32_t partition) {
  return "task " + std::string(subtopology) + "_" + std::to_string(partition);
}

std::string task_name(const dense_group& group, std::int32_t task) {
  const auto subtopology = static_cast<std::size_t>(group.subtopology_of(task));
  return task_name(group.subtopologies[subtopology]->id, task - group.first_task[subtopology]);
}

// T3.
result<void> check_members(const plan& checked, const dense_group& group) {
  for (const auto& [member_id, tasks] : checked) {
    if (group.find_member(member_id) == nobody) return fail("the plan names " + member_id + ", which is no member");
  }
  for (const auto* member : group.members) {
    if (checked.contains(member->member_id)) continue;
    return fail("the plan leaves out member " + std::string(member->member_id));
  }
  return {};
}

// T2, and the first half of T4.
result<void> check_tasks(const task_set& tasks, const dense_group& group, bool standby) {
  for (const auto& [id, partitions] : tasks) {
    const auto* known = group.find_subtopology(id);
    if (known == nullptr) return fail("the plan names subtopology " + id + ", which does not exist");
    if (standby && !known->stateful) return fail("the plan has a standby of the stateless subtopology " + id);
    for (const auto partition : partitions) {
      if (partition >= 0 && partition < known->tasks) continue;
      return fail("the plan names " + task_name(id, partition) + ", which does not exist");
    }
  }
  return {};
}

// Copies of each task in a plan whose names are known to be good.
class copy_count {
 public:
  explicit copy_count(const dense_group& group)
      : group_(group), active_(tasks()), standby_(tasks()), last_process_(tasks(), nobody) {}

  // Second half of T4. Members must come process by process.
  result<void> add(std::int32_t member, const member_plan& held) {
    const auto process = group_.process_of[static_cast<std::size_t>(member)];
    auto twice = nobody;
    const auto add_all = [&](const task_set& held_as, std::vector<std::int32_t>& copies) {
      group_.each_task(&held_as, [&](std::int32_t task, std::int32_t) {
        ++copies[static_cast<std::size_t>(task)];
        if (std::exchange(last_process_[static_cast<std::size_t>(task)], process) == process) twice = task;
      });
    };
    add_all(held.active, active_);
    add_all(held.standby, standby_);
    if (twice != nobody) return fail(task_name(group_, twice) + " is held twice by one process");
    return {};
  }

  // T1 and T5, after all members.
  [[nodiscard]] result<void> check() const {
    std::size_t task = 0;
    for (const auto* subtopology : group_.subtopologies) {
      const auto wanted = subtopology->stateful ? group_.standby_replicas_here : 0;
      for (std::int32_t partition = 0; partition < subtopology->tasks; ++partition, ++task) {
        if (active_[task] == 1 && standby_[task] == wanted) continue;
        return fail(task_name(subtopology->id, partition) + " is active on " + std::to_string(active_[task]) +
                    " members and has " + std::to_string(standby_[task]) + " standbys instead of " +
                    std::to_string(wanted));
      }
    }
    return {};
  }

 private:
  [[nodiscard]] std::size_t tasks() const { return static_cast<std::size_t>(group_.task_count()); }

  const dense_group& group_;
  std::vector<std::int32_t> active_;
  std::vector<std::int32_t> standby_;
  std::vector<std::int32_t> last_process_;
};

result<void> check_copies(const plan& checked, const dense_group& group) {
  copy_count copies(group);
  for (const auto member : group.by_process) {
    const auto& held = checked.find(group.members[static_cast<std::size_t>(member)]->member_id)->second;
    if (auto added = copies.add(member, held); !added) return added;
  }
  return copies.check();
}

}  // namespace

result<plan> checked_assign(const assignor& chosen, const group_input& input) {
  auto made = chosen.assign(input);
  if (!made) return made;
  for (const auto& member : input.members) made->try_emplace(std::string(member.member_id));
  drop_empty_entries(*made);
  if (const auto valid = validate(*made, input); !valid) {
    return fail("assignor " + std::string(chosen.name()) + ": " + valid.error().message);
  }
  return made;
}

result<void> validate(const plan& checked, const group_input& input) {
  const auto group = dense_group::make(input);
  if (!group) return tl::unexpected(group.error());
  if (auto members = check_members(checked, *group); !members) return members;
  for (const auto& [member_id, tasks] : checked) {
    if (auto active = check_tasks(tasks.active, *group, false); !active) return active;
    if (auto standby = check_tasks(tasks.standby, *group, true); !standby) return standby;
  }
  return check_copies(checked, *group);
}

void drop_empty_entries(plan& changed) {
  for (auto& [member_id, tasks] : changed) {
    std::erase_if(tasks.active, [](const auto& entry) { return entry.second.empty(); });
    std::erase_if(tasks.standby, [](const auto& entry) { return entry.second.empty(); });
  }
}

}  // namespace weir::assignor
