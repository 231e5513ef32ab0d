#include "assignor/plan_diff.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "assignor/validate.hpp"

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
  plan current;
  for (const auto& member : input.members) {
    auto& held = current[std::string(member.member_id)];
    if (member.active != nullptr) held.active = *member.active;
    if (member.standby != nullptr) held.standby = *member.standby;
  }
  drop_empty_entries(current);
  return current;
}

}  // namespace weir::assignor
