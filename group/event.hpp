// Explanations: one event for each group-epoch bump, each new target assignment and each change of settings. Causes are
// those of spec 01, 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::group {

/// Why a group epoch moved, a target was computed or settings are others; one name per cause, used in logs, metrics,
/// the timeline and over HTTP. A timeline is stored by name, so the order may change and names may not.
enum class cause : std::uint8_t {
  member_joined,            // B1, B2: a member that was not there
  member_changed,           // B1, B2: a known member with other metadata
  metadata_changed,         // B3: a required topic appeared, vanished or changed
  topology_ready,           // B4: validated topology epoch set
  topology_not_ready,       // B4: validated topology epoch withdrawn
  assignment_config_changed,// B5
  warm_up_caught_up,        // B6
  warm_up_stuck,            // B6: others warm up instead, or tasks move that nothing is ever told of
  member_left,              // B7: leave -1
  session_expired,          // B7
  rebalance_expired,        // B7
  member_removed,           // B7: by an administrator
  topology_updated,         // the group has another topology: the next one, or the one before
  rebalance_requested,      // an administrator wants a new target, or drains a process
  config_changed,           // settings of the group that no assignment depends on; moves no epoch
  target_computed,          // a new target assignment; stays the last one
};

/// The cause's name: `member-joined`, `metadata-changed`, ...
[[nodiscard]] std::string_view name(cause why) noexcept;
/// Whether it moves a group epoch or makes a target, so that a rebalance may follow.
[[nodiscard]] constexpr bool is_of_rebalance(cause why) noexcept { return why != cause::config_changed; }
/// The cause of that name; nothing if there is none.
[[nodiscard]] std::optional<cause> cause_of(std::string_view name) noexcept;

/// Who or what a rebalance that was not over waited for last.
enum class hold_up : std::uint8_t {
  unrevoked,       ///< a member that had tasks to release
  unreleased,      ///< a member whose tasks others still held
  slow_heartbeat,  ///< a member that had not heard of the assignment
  missing_topic,   ///< topics of the application
};
[[nodiscard]] std::string_view name(hold_up why) noexcept;
[[nodiscard]] std::optional<hold_up> hold_up_of(std::string_view name) noexcept;

/// One thing that changed, for people; `none` stands for nothing.
struct field_change {
  std::string what;  ///< `rack`, `streams.num.standby.replicas`, `tasks of subtopology 0`, ...
  std::string before;
  std::string after;

  bool operator==(const field_change&) const = default;
};

/// `rack none -> r1; process p -> q`
[[nodiscard]] std::string in_words(const std::vector<field_change>& changes);

enum class moved_role : std::uint8_t { active, standby, warmup };
[[nodiscard]] std::string_view name(moved_role role) noexcept;

/// One copy of one task that goes somewhere else. An empty member id stands for nobody.
struct moved_task {
  std::string task;  ///< `1_3`
  moved_role role = moved_role::active;
  std::string from_member;
  std::string to_member;

  bool operator==(const moved_task&) const = default;
};

/// What one event keeps at most.
inline constexpr std::size_t moves_max = 500;
inline constexpr std::size_t changes_max = 100;

/// One line of a group's story.
struct event {
  std::uint64_t index = 0;  ///< rises by one from event to event of the group; given by who keeps them
  std::int64_t time_ms = 0;
  cause why = cause::member_joined;
  std::int32_t group_epoch = 0;       ///< after the event
  std::int32_t assignment_epoch = 0;  ///< after the event
  std::string member_id;              ///< who caused it; empty if nobody did
  std::string process_id;
  std::string client_id;
  std::string client_host;
  std::string by;                     ///< the administrator, of what one caused; else empty
  std::string detail;                 ///< what changed, old -> new, in words
  std::vector<field_change> changes;  ///< the same as data; at most changes_max
  std::string assignor;               ///< for target_computed
  std::optional<std::int64_t> computed_in_us;  ///< how long that took; measured by who calls, not by the rules
  std::int32_t tasks_moved = 0;       ///< active tasks with another owner
  std::vector<moved_task> moved;      ///< active ones first; at most moves_max
  bool moved_truncated = false;       ///< there were more
  // Filled in later, by who keeps them.
  std::optional<std::int64_t> stable_after_ms;  ///< until the group was STABLE; nothing if another event came before
  std::string last_member;            ///< who held the group up at that time, or when the next event came
  std::optional<hold_up> last_reason; ///< nothing: nobody, the event itself was all there was to do

  bool operator==(const event&) const = default;
};

/// Adds a move, or notes that there are too many.
void add_move(event& to, moved_task move);

/// A rebalance loop: the same cause, by the same member, again and again.
struct loop_alarm {
  cause why = cause::member_joined;
  std::string member_id;      ///< empty for causes that are not a member's
  std::int32_t count = 0;     ///< events within the window
  std::int64_t window_ms = 0;
  std::int64_t since_ms = 0;  ///< the first of them

  bool operator==(const loop_alarm&) const = default;
};

}  // namespace weir::group
