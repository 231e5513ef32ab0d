#include "assignor/java_visiting.hpp"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/java_hash.hpp"

namespace weir::assignor {

namespace {

// The members as a map visits them that has been given their ids in the present order.
std::vector<std::int32_t> as_visited(const dense_group& group, const std::vector<std::int32_t>& members) {
  std::vector<std::string_view> ids;
  ids.reserve(members.size());
  for (const auto member : members) ids.push_back(group.members[at(member)]->member_id);
  std::vector<std::int32_t> visited;
  visited.reserve(members.size());
  for (const auto index : java_map_order(ids)) visited.push_back(members[index]);
  return visited;
}

void order_members(dense_group& group) {
  std::vector<std::string_view> ids;
  ids.reserve(group.members.size());
  for (const auto* member : group.members) ids.push_back(member->member_id);
  std::vector<const member_input*> visited;
  visited.reserve(group.members.size());
  for (const auto index : java_map_order(ids)) visited.push_back(group.members[index]);
  group.members = std::move(visited);
}

}  // namespace

void visit_as_java(dense_group& group) {
  order_members(group);
  std::vector<std::string_view> processes;         // as they first appear
  std::vector<std::vector<std::int32_t>> members;  // of each of them
  std::map<std::string_view, std::size_t> known;
  for (std::int32_t member = 0; member < group.member_count(); ++member) {
    const auto id = group.members[at(member)]->process_id;
    const auto [found, is_new] = known.try_emplace(id, processes.size());
    if (is_new) {
      processes.push_back(id);
      members.emplace_back();
    }
    members[found->second].push_back(member);
  }
  group.process_of.resize(group.members.size());
  group.by_process.reserve(group.members.size());
  for (const auto process : java_computed_map_order(processes, group.members.size())) {
    for (const auto member : as_visited(group, members[process])) {
      group.process_of[at(member)] = group.process_count();
      group.by_process.push_back(member);
    }
    group.threads.push_back(static_cast<std::int32_t>(members[process].size()));
  }
}

}  // namespace weir::assignor
