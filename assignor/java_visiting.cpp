#include "assignor/java_visiting.hpp"

#include <bit>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assignor/task_lists.hpp"
#include "base/java_hash.hpp"

namespace weir::assignor {

namespace {

// Hashes of the ids of these members.
template <class Members, class Hash>
std::vector<std::int32_t> hashes_of(const Members& members, Hash hash) {
  std::vector<std::int32_t> hashes;
  hashes.reserve(members.size());
  for (const auto& member : members) hashes.push_back(hash(member));
  return hashes;
}

// The members as a map visits them that has been given their ids in the present order.
std::vector<std::int32_t> as_visited(const dense_group& group, std::span<const std::int32_t> members) {
  const auto hashes = hashes_of(members, [&](std::int32_t member) { return group.members[at(member)]->member_hash; });
  std::vector<std::int32_t> visited;
  visited.reserve(members.size());
  for (const auto index : java_map_visit(hashes).order) visited.push_back(members[index]);
  return visited;
}

// Each member has a process of its own.
void number_single_members(dense_group& group, std::span<const std::uint32_t> order) {
  group.by_process.reserve(order.size());
  for (const auto member : order) {
    group.process_of[member] = static_cast<std::int32_t>(group.by_process.size());
    group.by_process.push_back(static_cast<std::int32_t>(member));
  }
  group.threads.assign(order.size(), 1);
}

// Processes as they first appear, and who is in which.
struct process_list {
  std::vector<std::string_view> ids;
  std::vector<std::int32_t> java_hashes;  // of ids
  std::vector<std::int32_t> of_member;
};

process_list list_processes(const dense_group& group) {
  process_list listed;
  std::vector<std::int32_t> slots(std::bit_ceil(2 * group.members.size() + 1), nobody);  // by hash, half empty
  std::vector<std::size_t> hashes;                                                       // of ids
  listed.of_member.reserve(group.members.size());
  listed.ids.reserve(group.members.size());
  hashes.reserve(group.members.size());
  for (const auto* member : group.members) {
    const auto id = member->process_id;
    const auto hash = std::hash<std::string_view>{}(id);
    const auto is_other = [&](std::int32_t process) {
      return hashes[at(process)] != hash || listed.ids[at(process)] != id;
    };
    auto slot = hash & (slots.size() - 1);
    while (slots[slot] != nobody && is_other(slots[slot])) slot = (slot + 1) & (slots.size() - 1);
    if (slots[slot] == nobody) {
      slots[slot] = static_cast<std::int32_t>(listed.ids.size());
      listed.ids.push_back(id);
      listed.java_hashes.push_back(member->process_hash);
      hashes.push_back(hash);
    }
    listed.of_member.push_back(slots[slot]);
  }
  return listed;
}

void number_shared(dense_group& group) {
  const auto processes = list_processes(group);
  const auto members = sort_by_holder(processes.ids.size(), [&](auto visit) {
    for (std::int32_t member = 0; member < group.member_count(); ++member) {
      visit(processes.of_member[at(member)], member);
    }
  });
  group.by_process.reserve(group.members.size());
  group.threads.reserve(processes.ids.size());
  for (const auto process : java_computed_map_visit(processes.java_hashes, group.members.size()).order) {
    const auto threads = members.of(process);
    const auto add = [&](std::int32_t member) {
      group.process_of[at(member)] = group.process_count();
      group.by_process.push_back(member);
    };
    if (threads.size() == 1) {
      add(threads.front());
    } else {
      for (const auto member : as_visited(group, threads)) add(member);
    }
    group.threads.push_back(static_cast<std::int32_t>(threads.size()));
  }
}

}  // namespace

bool order_members_as_java(dense_group& group) {
  const auto visit = java_map_visit(hashes_of(group.members, [](const auto* member) { return member->member_hash; }));
  std::vector<const member_input*> visited;
  visited.reserve(group.members.size());
  for (const auto index : visit.order) visited.push_back(group.members[index]);
  group.members = std::move(visited);
  return visit.differ;
}

void number_processes_as_java(dense_group& group) {
  const auto hashes = hashes_of(group.members, [](const auto* member) { return member->process_hash; });
  const auto visit = java_computed_map_visit(hashes, group.members.size());
  group.process_of.resize(group.members.size());
  if (visit.differ) {
    number_single_members(group, visit.order);
  } else {
    number_shared(group);
  }
}

}  // namespace weir::assignor
