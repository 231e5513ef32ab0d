#include "group/health.hpp"

#include <algorithm>

#include "group/versions.hpp"
#include "group/waiting_for.hpp"

namespace weir::group {

health_view health_of(const streams_group& group, group_state state, std::string_view member) {
  health_view health;
  health.kind = group.kind;
  health.state = state;
  health.is_newest_run = is_newest_run(group);
  health.patterns = words_for_patterns(group);
  health.has_present_members =
      std::ranges::any_of(group.members, [](const auto& entry) { return !entry.second.current.is_away(); });
  if (member.empty()) return health;
  if (const auto* id = member_named(group, member)) {
    health.member = member_health{.is_away = group.members.find(*id)->second.current.is_away()};
  }
  return health;
}

const std::string* member_named(const streams_group& group, std::string_view name) {
  auto found = group.members.find(name);
  if (found != group.members.end()) return &found->first;
  const auto of_instance = group.static_members.find(name);
  if (of_instance == group.static_members.end()) return nullptr;
  found = group.members.find(of_instance->second);
  return found == group.members.end() ? nullptr : &found->first;
}

streams_group with_one_member(const streams_group& group, std::string_view name) {
  streams_group one;
  one.id = group.id;
  one.kind = group.kind;
  one.metadata = group.metadata;
  one.metadata_seen = group.metadata_seen;
  one.target_info = group.target_info;
  const auto* id = member_named(group, name);
  if (id == nullptr) return one;
  one.members.insert(*group.members.find(*id));
  const auto& instance_id = one.members.begin()->second.metadata.instance_id;
  if (instance_id) one.static_members.emplace(*instance_id, *id);
  if (const auto target = group.targets.find(*id); target != group.targets.end()) one.targets.insert(*target);
  const auto soft = group.soft.members.find(*id);
  if (soft != group.soft.members.end()) one.soft.members.insert(*soft);
  return one;
}

}  // namespace weir::group
