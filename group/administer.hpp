// What an administrator does to a group besides removing members: other overrides, a rebalance, draining a process.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "group/outcome.hpp"
#include "group/refusal.hpp"
#include "group/streams_group.hpp"

namespace weir::group {

/// A change of a group's overrides.
struct config_change {
  bool replaces = false;  ///< overrides that are not named go
  /// By full name; nothing: the override goes.
  std::map<std::string, std::optional<std::string>, std::less<>> values;
  std::optional<std::string> only_if;  ///< the config_tag() it was made for; `*` or nothing: whatever is there
};

/// Names a set of overrides: equal sets have equal tags. 16 hexadecimal digits.
[[nodiscard]] std::string config_tag(const overrides& set);

/// The overrides after the change. Refused: INVALID_UPDATE_VERSION if they are not those that the change was made for,
/// INVALID_CONFIG with what check() says.
[[nodiscard]] protocol::kafka_result<overrides> overrides_after(const overrides& now, const config_change& change,
                                                        const broker_config& broker);

/// Moves the group epoch and computes the target at once, unless the initial delay or the assignment interval runs or
/// the topics have not been looked at yet: then the next heartbeat that may does. Empty if the group has no members.
[[nodiscard]] change_outcome rebalance(const streams_group& group, const world& world, cause why, std::string detail);

/// What differs of the settings that a target depends on: `streams.num.standby.replicas 0 -> 1; ...`. Empty: nothing.
[[nodiscard]] std::vector<field_change> assignment_changes(const group_config& before, const group_config& after);
/// The same in words.
[[nodiscard]] std::string assignment_differences(const group_config& before, const group_config& after);

/// What follows from other settings, those of the world: a rebalance if a target depends on what differs. `before` are
/// the settings up to now.
[[nodiscard]] change_outcome follow_config(const streams_group& group, const world& world, const group_config& before);

/// A change of overrides as an event that moves no epoch. `covered`: the settings before it, if the rebalance that it
/// brings tells of what a target depends on; else null. Nothing if there is nothing else to tell.
[[nodiscard]] std::optional<event> config_event(const streams_group& group, const world& world, const overrides& before,
                                                const overrides& after, const group_config* covered);

/// Whether the process may be marked as drained. Refused: UNKNOWN_MEMBER_ID if no member is of that process,
/// INVALID_REQUEST if no process would be left to take its tasks.
[[nodiscard]] std::optional<refusal> check_drain(const streams_group& group, const group_config& config,
                                                 const std::string& process_id);

/// The mark of a process, for its members of now.
[[nodiscard]] drain_marks::value_type mark_of(const streams_group& group, const std::string& process_id);

/// The mark of a drained process ends with the members that it had: those of the marked that still have one of these,
/// were it away.
[[nodiscard]] drain_marks still_drained(const streams_group& group, const group_config& config);

/// Of the processes whose mark ends, those that have come back already, in words; empty: none has. They need tasks.
[[nodiscard]] std::string back_from_drain(const streams_group& group, const group_config& config,
                                          const drain_marks& remaining);

}  // namespace weir::group
