// What probes ask of a group, found without a copy of it: they come often, and for every member.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "group/streams_group.hpp"

namespace weir::group {

/// One member, if a probe asks about one.
struct member_health {
  bool is_away = false;  ///< static, left for a while
};

/// Means something only of a streams group.
struct health_view {
  group_kind kind = group_kind::none;
  group_state state = group_state::empty;
  bool has_present_members = false;     ///< one at least has not left for a while
  std::optional<member_health> member;  ///< nothing: none was asked about, or the group has no such member
  std::vector<std::string> waits;       ///< what the group waits for, in words
  bool is_newest_run = true;            ///< is_newest_run()
  std::string patterns;                 ///< words_for_patterns()
};

/// All but the words. `member`: its id, or instance id; empty: none. O(members) only if all of them are away.
[[nodiscard]] health_view health_of(const streams_group& group, group_state state, std::string_view member);

/// The id of the member of that id, or else of the static member of that instance id; null if there is none.
[[nodiscard]] const std::string* member_named(const streams_group& group, std::string_view name);

/// What a read of one member needs: the group's own numbers and that member with its target and its reports; nothing of
/// the others. `name` as of member_named().
[[nodiscard]] streams_group with_one_member(const streams_group& group, std::string_view name);

}  // namespace weir::group
