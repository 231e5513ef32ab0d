#include "assignor/dense_group.hpp"

#include <bit>
#include <numeric>
#include <string>

#include "assignor/java_visiting.hpp"

namespace weir::assignor {

namespace {

// Pointers to the elements, ordered by the id each one has.
template <class T, class Id>
std::vector<const T*> sorted(const std::vector<T>& elements, Id id_of) {
  std::vector<const T*> pointers;
  pointers.reserve(elements.size());
  for (const auto& element : elements) pointers.push_back(&element);
  const auto before = [&](const T* a, const T* b) { return id_of(*a) < id_of(*b); };
  if (!std::is_sorted(pointers.begin(), pointers.end(), before)) std::sort(pointers.begin(), pointers.end(), before);
  return pointers;
}

template <class T, class Id>
const T* first_duplicate(const std::vector<const T*>& elements, Id id_of) {
  const auto same = [&](const T* a, const T* b) { return id_of(*a) == id_of(*b); };
  const auto found = std::adjacent_find(elements.begin(), elements.end(), same);
  return found == elements.end() ? nullptr : *found;
}

// Numbers the processes by process id and tells each member's.
void number_processes(dense_group& group) {
  auto& by_process = group.by_process;
  by_process.resize(group.members.size());
  std::iota(by_process.begin(), by_process.end(), 0);
  const auto process_id = [&](std::int32_t member) {
    return group.members[static_cast<std::size_t>(member)]->process_id;
  };
  std::stable_sort(by_process.begin(), by_process.end(),
                   [&](std::int32_t a, std::int32_t b) { return process_id(a) < process_id(b); });
  group.process_of.resize(by_process.size());
  for (std::size_t i = 0; i < by_process.size(); ++i) {
    if (i == 0 || process_id(by_process[i]) != process_id(by_process[i - 1])) group.threads.push_back(0);
    ++group.threads.back();
    group.process_of[static_cast<std::size_t>(by_process[i])] = group.process_count() - 1;
  }
}

// Ids differ.
void index_subtopologies(dense_group& group) {
  group.by_hash.assign(std::bit_ceil(2 * group.subtopologies.size() + 1), nobody);
  for (std::size_t i = 0; i < group.subtopologies.size(); ++i) {
    auto slot = std::hash<std::string_view>{}(group.subtopologies[i]->id);
    while (group.by_hash[slot & (group.by_hash.size() - 1)] != nobody) ++slot;
    group.by_hash[slot & (group.by_hash.size() - 1)] = static_cast<std::int32_t>(i);
  }
}

result<void> number_tasks(dense_group& group) {
  std::int64_t tasks = 0;
  std::int64_t stateful = 0;
  group.first_task.reserve(group.subtopologies.size() + 1);
  for (const auto* subtopology : group.subtopologies) {
    if (subtopology->tasks < 0) {
      return fail("subtopology " + std::string(subtopology->id) + " has a negative number of tasks");
    }
    group.first_task.push_back(static_cast<std::int32_t>(tasks));
    tasks += subtopology->tasks;
    if (subtopology->stateful) stateful += subtopology->tasks;
    if (tasks + stateful * group.standby_replicas_here > task_copies_max) {
      return fail("the group has more than " + std::to_string(task_copies_max) + " tasks and standbys");
    }
  }
  group.first_task.push_back(static_cast<std::int32_t>(tasks));
  group.stateful_tasks = static_cast<std::int32_t>(stateful);
  return {};
}

}  // namespace

result<dense_group> dense_group::make(const group_input& input, visiting order) {
  const auto member_id = [](const member_input& member) { return member.member_id; };
  const auto subtopology_id = [](const subtopology_input& subtopology) { return subtopology.id; };
  if (input.standby_replicas < 0) return fail("the number of standby replicas is negative");
  dense_group group;
  group.members = sorted(input.members, member_id);
  if (const auto* twice = first_duplicate(group.members, member_id)) {
    return fail("two members have the id " + std::string(twice->member_id));
  }
  group.subtopologies = sorted(input.subtopologies, subtopology_id);
  if (const auto* twice = first_duplicate(group.subtopologies, subtopology_id)) {
    return fail("two subtopologies have the id " + std::string(twice->id));
  }
  index_subtopologies(group);
  if (order == visiting::as_java) {
    std::ranges::transform(input.members, group.members.begin(), [](const auto& member) { return &member; });
    visit_as_java(group);
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
  for (std::size_t i = 0; i < subtopologies.size(); ++i) left.push_back(i);
  for (std::int32_t partition = 0; !left.empty(); ++partition) {
    std::erase_if(left, [&](std::size_t i) { return subtopologies[i]->tasks <= partition; });
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

std::int32_t dense_group::find_member(std::string_view member_id) const {
  const auto found = std::lower_bound(members.begin(), members.end(), member_id,
                                      [](const auto* member, std::string_view id) { return member->member_id < id; });
  if (found == members.end() || (*found)->member_id != member_id) return nobody;
  return static_cast<std::int32_t>(found - members.begin());
}

const subtopology_input* dense_group::find_subtopology(std::string_view id) const {
  const auto index = find_index(id);
  return index == nobody ? nullptr : subtopologies[at(index)];
}

}  // namespace weir::assignor
