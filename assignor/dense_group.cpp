#include "assignor/dense_group.hpp"

#include <utility>

#include "assignor/java_visiting.hpp"
#include "assignor/task_numbers.hpp"

namespace weir::assignor {

namespace {

bool comes_before(const member_input* a, const member_input* b) { return a->member_id < b->member_id; }

// Sorts the members by id, which must differ. They mostly come so, or with only the last one, a newcomer, out of place.
result<void> sort_members(std::vector<const member_input*>& members) {
  const auto descends = [](const auto* a, const auto* b) { return !comes_before(a, b); };
  const auto last_in_order = std::adjacent_find(members.begin(), members.end(), descends);
  if (last_in_order == members.end()) return {};
  const auto until = last_in_order + 1;
  if (members.end() - until == 1) {
    std::rotate(std::upper_bound(members.begin(), until, *until, comes_before), until, members.end());
  } else {
    std::sort(members.begin(), members.end(), comes_before);
  }
  const auto twice = std::adjacent_find(members.begin(), members.end(), descends);
  if (twice == members.end()) return {};
  return fail("two members have the id " + std::string((*twice)->member_id));
}

// The members, which are in the order of the input, in the one that is asked for. Their ids must differ.
result<void> order_members(dense_group& group, visiting order) {
  if (order == visiting::by_id) return sort_members(group.members);
  if (order_members_as_java(group)) return {};
  auto by_id = group.members;
  return sort_members(by_id);
}

result<void> check_subtopologies(const dense_group& group) {
  for (std::size_t i = 1; i < group.subtopologies.size(); ++i) {
    const auto [before, id] = std::pair(group.subtopologies[i - 1].id, group.subtopologies[i].id);
    if (before == id) return fail("two subtopologies have the id " + std::string(id));
    if (before > id) return fail("subtopology " + std::string(id) + " does not come in the order of ids");
  }
  return {};
}

// The first bytes of an id as a number that has their order.
std::uint64_t prefix_of(std::string_view id) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    prefix = prefix << 8 | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0U);
  }
  return prefix;
}

// Members by process id, those of one process by number.
std::vector<std::int32_t> members_by_process(const dense_group& group) {
  struct entry {
    std::uint64_t prefix;
    std::int32_t member;
  };
  std::vector<entry> entries;
  entries.reserve(group.members.size());
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    entries.push_back({prefix_of(group.members[at(member)]->process_id), member});
  }
  const auto before = [&](const entry& a, const entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const auto order = group.members[at(a.member)]->process_id.compare(group.members[at(b.member)]->process_id);
    return order != 0 ? order < 0 : a.member < b.member;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
  std::vector<std::int32_t> members;
  members.reserve(entries.size());
  for (const auto& entry : entries) members.push_back(entry.member);
  return members;
}

// Numbers the processes by process id and tells each member's.
void number_processes(dense_group& group) {
  group.by_process = members_by_process(group);
  group.process_of.resize(group.members.size());
  group.threads.reserve(group.members.size());
  std::string_view process_id;
  for (const auto member : group.by_process) {
    const auto id = group.members[at(member)]->process_id;
    if (group.threads.empty() || id != process_id) group.threads.push_back(0);
    process_id = id;
    ++group.threads.back();
    group.process_of[at(member)] = group.process_count() - 1;
  }
}

result<void> number_tasks(dense_group& group) {
  std::int64_t tasks = 0;
  std::int64_t stateful = 0;
  for (const auto& subtopology : group.subtopologies) {
    if (subtopology.tasks < 0) {
      return fail("subtopology " + std::string(subtopology.id) + " has a negative number of tasks");
    }
    tasks += subtopology.tasks;
    if (subtopology.stateful) stateful += subtopology.tasks;
    if (tasks + stateful * group.standby_replicas_here > task_copies_max) {
      return fail("the group has more than " + std::to_string(task_copies_max) + " tasks and standbys");
    }
  }
  group.first_task = first_tasks(group.subtopologies);
  group.stateful_tasks = static_cast<std::int32_t>(stateful);
  return {};
}

}  // namespace

result<dense_group> dense_group::make(const group_input& input, visiting order) {
  if (input.standby_replicas < 0) return fail("the number of standby replicas is negative");
  dense_group group;
  group.input = &input;
  group.subtopologies = input.subtopologies;
  group.members.reserve(input.members.size());
  for (const auto& member : input.members) group.members.push_back(&member);
  if (const auto ordered = order_members(group, order); !ordered) return tl::unexpected(ordered.error());
  if (const auto checked = check_subtopologies(group); !checked) return tl::unexpected(checked.error());
  if (order == visiting::as_java) {
    number_processes_as_java(group);
  } else {
    number_processes(group);
  }
  group.standby_replicas = input.standby_replicas;
  group.standby_replicas_here = std::clamp(group.process_count() - 1, 0, input.standby_replicas);
  if (const auto numbered = number_tasks(group); !numbered) return tl::unexpected(numbered.error());
  return group;
}

std::int32_t dense_group::subtopology_of(std::int32_t task) const {
  const auto after = std::upper_bound(first_task.begin(), first_task.end() - 1, task);
  return static_cast<std::int32_t>(after - first_task.begin()) - 1;
}

std::vector<std::int32_t> dense_group::tasks_by_partition() const {
  std::vector<std::int32_t> tasks;
  tasks.reserve(static_cast<std::size_t>(task_count()));
  std::vector<std::size_t> left;  // subtopologies that have a task of this partition, in id order
  left.reserve(subtopologies.size());
  for (std::size_t i = 0; i < subtopologies.size(); ++i) left.push_back(i);
  for (std::int32_t partition = 0; !left.empty(); ++partition) {
    std::erase_if(left, [&](std::size_t i) { return subtopologies[i].tasks <= partition; });
    for (const auto i : left) tasks.push_back(first_task[i] + partition);
  }
  return tasks;
}

std::vector<std::size_t> dense_group::first_members() const {
  std::vector<std::size_t> first;
  first.reserve(threads.size());
  std::size_t next = 0;
  for (const auto count : threads) {
    first.push_back(next);
    next += at(count);
  }
  return first;
}

std::int32_t dense_group::find_subtopology(std::string_view id) const {
  const auto found = std::lower_bound(subtopologies.begin(), subtopologies.end(), id,
                                      [](const auto& known, std::string_view wanted) { return known.id < wanted; });
  if (found == subtopologies.end() || found->id != id) return nobody;
  return static_cast<std::int32_t>(found - subtopologies.begin());
}

std::string task_name(const dense_group& group, std::int32_t task) {
  const auto subtopology = at(group.subtopology_of(task));
  return std::string(group.subtopologies[subtopology].id) + "_" + std::to_string(task - group.first_task[subtopology]);
}

}  // namespace weir::assignor
