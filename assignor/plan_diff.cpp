#include "assignor/plan_diff.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>

#include "assignor/task_lists.hpp"
#include "assignor/task_numbers.hpp"

namespace weir::assignor {

namespace {

// One copy of a task in one of the two plans. Borrows the ids.
struct held_copy {
  std::string_view subtopology_id;
  std::int32_t partition;
  task_role role;
  std::string_view member;

  [[nodiscard]] auto task() const { return std::tie(subtopology_id, partition, role); }
  auto operator<=>(const held_copy&) const = default;
};

void add_copies(std::vector<held_copy>& copies, std::string_view member, const task_set& tasks, task_role role) {
  for (const auto& [subtopology_id, partitions] : tasks) {
    for (const auto partition : partitions) copies.push_back({subtopology_id, partition, role, member});
  }
}

std::vector<held_copy> copies_of(const plan& listed) {
  std::vector<held_copy> copies;
  for (const auto& [member, tasks] : listed) {
    add_copies(copies, member, tasks.active, task_role::active);
    add_copies(copies, member, tasks.standby, task_role::standby);
  }
  std::sort(copies.begin(), copies.end());
  return copies;
}

std::vector<held_copy> without(const std::vector<held_copy>& copies, const std::vector<held_copy>& others) {
  std::vector<held_copy> left;
  std::set_difference(copies.begin(), copies.end(), others.begin(), others.end(), std::back_inserter(left));
  return left;
}

task_move move_between(const held_copy* from, const held_copy* to) {
  const auto& copy = from != nullptr ? *from : *to;
  return {std::string(copy.subtopology_id), copy.partition, copy.role, std::string(from != nullptr ? from->member : ""),
          std::string(to != nullptr ? to->member : "")};
}

}  // namespace

std::vector<task_move> diff(const plan& before, const plan& after) {
  const auto old_copies = copies_of(before);
  const auto new_copies = copies_of(after);
  const auto gone = without(old_copies, new_copies);
  const auto come = without(new_copies, old_copies);
  std::vector<task_move> moves;
  auto from = gone.begin();
  auto to = come.begin();
  while (from != gone.end() || to != come.end()) {
    const bool use_from = from != gone.end() && (to == come.end() || from->task() <= to->task());
    const bool use_to = to != come.end() && (from == gone.end() || to->task() <= from->task());
    moves.push_back(move_between(use_from ? &*from : nullptr, use_to ? &*to : nullptr));
    if (use_from) ++from;
    if (use_to) ++to;
  }
  return moves;
}

plan current_plan(const group_input& input) {
  const auto first = first_tasks(input.subtopologies);
  plan current;
  for (const auto& member : input.members) {
    current[std::string(member.member_id)] = {named_tasks(input.subtopologies, first, input.tasks_of(member.active)),
                                              named_tasks(input.subtopologies, first, input.tasks_of(member.standby))};
  }
  for (const auto& [member_id, role, subtopology_id, partition] : input.gone) {
    const auto holder = current.find(member_id);
    if (holder == current.end()) continue;
    auto& tasks = role == task_role::active ? holder->second.active : holder->second.standby;
    tasks[std::string(subtopology_id)].insert(partition);
  }
  return current;
}

namespace {

// Who of the one list is not in the other, by id. Both are ascending.
std::vector<std::string_view> ids_without(const group_input& input, std::span<const std::int32_t> places,
                                          std::span<const std::int32_t> others) {
  std::vector<std::int32_t> left;
  std::set_difference(places.begin(), places.end(), others.begin(), others.end(), std::back_inserter(left));
  std::vector<std::string_view> ids;
  for (const auto place : left) ids.push_back(input.members[at(place)].member_id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

// Task -> places of the members that hold it.
template <class Held>
task_lists holders_of(const group_input& input, std::size_t tasks, Held held) {
  return sort_by_holder(tasks, [&](auto visit) {
    for (std::size_t place = 0; place < input.members.size(); ++place) {
      for (const auto task : held(place)) visit(task, static_cast<std::int32_t>(place));
    }
  });
}

// In the order of diff().
void add_gone(const group_input& input, task_role role, std::vector<task_move_view>& to) {
  const auto count = to.size();
  for (const auto& task : input.gone) {
    if (task.role == role) to.push_back({task.subtopology_id, task.partition, task.member_id, {}});
  }
  if (to.size() == count) return;
  std::ranges::stable_sort(to, {}, [](const auto& move) {
    return std::tuple(move.subtopology_id, move.partition);
  });
}

}  // namespace

std::vector<task_move_view> moves_to(const flat_plan& after, const group_input& input, task_role role) {
  const auto first = first_tasks(input.subtopologies);
  const auto tasks = at(first.back());
  const auto old_holders = holders_of(input, tasks, [&](std::size_t place) {
    const auto& member = input.members[place];
    return input.tasks_of(role == task_role::active ? member.active : member.standby);
  });
  const auto& listed = role == task_role::active ? after.active : after.standby;
  const auto new_holders = holders_of(input, tasks, [&](std::size_t place) { return listed.of(place); });
  std::vector<task_move_view> found;
  std::size_t subtopology = 0;
  for (std::size_t task = 0; task < tasks; ++task) {
    while (at(first[subtopology + 1]) <= task) ++subtopology;
    const auto before = old_holders.of(task);
    const auto then = new_holders.of(task);
    if (std::ranges::equal(before, then)) continue;
    const auto gone = ids_without(input, before, then);
    const auto come = ids_without(input, then, before);
    for (std::size_t i = 0; i < std::max(gone.size(), come.size()); ++i) {
      found.push_back({input.subtopologies[subtopology].id, static_cast<std::int32_t>(task) - first[subtopology],
                       i < gone.size() ? gone[i] : std::string_view(), i < come.size() ? come[i] : std::string_view()});
    }
  }
  add_gone(input, role, found);
  return found;
}

}  // namespace weir::assignor
