#include "bench/assignor_scenario.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace weir::assignor::bench {

using test::owned_group;

owned_group make_group(const scenario_size& size, std::int64_t members) {
  owned_group group;
  for (std::int64_t i = 0; i < members; ++i) {
    group.members.push_back(
        {"member-" + std::to_string(i), "process-" + std::to_string(i / size.members_per_process)});
  }
  std::ranges::sort(group.members, {}, &test::owned_member::id);  // as a group has them
  for (std::int64_t i = 0; i < size.subtopologies; ++i) {
    group.subtopologies.push_back({"topic-" + std::to_string(i) + "_subtopology",
                                   static_cast<std::int32_t>(size.partitions), i % 2 == 0});
  }
  std::sort(group.subtopologies.begin(), group.subtopologies.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  group.standby_replicas = static_cast<std::int32_t>(size.standbys);
  return group;
}

owned_group make_grown_group(const scenario_size& size, const assignor& assignor) {
  auto group = make_group(size, size.members - 1);
  group.hold(test::assigned(assignor, group).value());
  group.members.push_back({"newMember", "process-newMember"});
  return group;
}

void report_offsets(owned_group& group) {
  const auto old_members = group.members.size() - 1;
  std::vector<std::size_t> by_id(old_members);
  for (std::size_t i = 0; i < old_members; ++i) by_id[i] = i;
  std::sort(by_id.begin(), by_id.end(),
            [&](std::size_t a, std::size_t b) { return group.members[a].id < group.members[b].id; });
  std::size_t task = 0;
  for (const auto& subtopology : group.subtopologies) {
    if (!subtopology.stateful) continue;
    for (std::int32_t partition = 0; partition < subtopology.tasks; ++partition, ++task) {
      for (std::size_t replica = 0; replica < 2; ++replica) {
        group.members[by_id[(task + replica) % old_members]].offsets[subtopology.id][partition] =
            static_cast<std::int64_t>((2 - replica) * 1'000'000 + task);
      }
    }
  }
}

}  // namespace weir::assignor::bench
