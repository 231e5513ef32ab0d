#include "assignor/named_plan.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "assignor/task_numbers.hpp"

namespace weir::assignor {

namespace {

result<void> check_members(const plan& listed, const group_input& input) {
  std::set<std::string_view> strangers;
  for (const auto& [member_id, tasks] : listed) strangers.insert(member_id);
  for (const auto& member : input.members) strangers.erase(member.member_id);
  if (!strangers.empty()) return fail("the plan names " + std::string(*strangers.begin()) + ", which is no member");
  for (const auto& member : input.members) {
    if (listed.contains(member.member_id)) continue;
    return fail("the plan leaves out member " + std::string(member.member_id));
  }
  return {};
}

result<void> append(const task_set& tasks, const task_numbers& numbers, const group_input& input, task_lists& to) {
  for (const auto& [id, partitions] : tasks) {
    const auto has_id = [&, wanted = std::string_view(id)](const auto& known) { return known.id == wanted; };
    if (std::ranges::any_of(input.subtopologies, has_id)) continue;
    return fail("the plan names subtopology " + id + ", which does not exist");
  }
  result<void> checked;
  numbers.append(tasks, to.tasks, [&](std::string_view id, std::int32_t partition) {
    if (!checked) return;
    checked = fail("the plan names task " + std::string(id) + "_" + std::to_string(partition) +
                   ", which does not exist");
  });
  to.end_list();
  return checked;
}

}  // namespace

plan named(const flat_plan& flat, const group_input& input) {
  const auto first = first_tasks(input.subtopologies);
  plan listed;
  for (std::size_t place = 0; place < input.members.size(); ++place) {
    listed.try_emplace(std::string(input.members[place].member_id),
                       member_plan{named_tasks(input.subtopologies, first, flat.active.of(place)),
                                   named_tasks(input.subtopologies, first, flat.standby.of(place))});
  }
  return listed;
}

result<flat_plan> numbered(const plan& listed, const group_input& input) {
  if (auto members = check_members(listed, input); !members) return tl::unexpected(members.error());
  const task_numbers numbers(input.subtopologies);
  flat_plan flat;
  for (const auto& member : input.members) {
    const auto& tasks = listed.find(member.member_id)->second;
    if (auto active = append(tasks.active, numbers, input, flat.active); !active) {
      return tl::unexpected(active.error());
    }
    if (auto standby = append(tasks.standby, numbers, input, flat.standby); !standby) {
      return tl::unexpected(standby.error());
    }
  }
  return flat;
}

}  // namespace weir::assignor
