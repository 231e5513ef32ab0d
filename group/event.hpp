// Explanations: one event for each group-epoch bump and each new target assignment. Causes are those of spec 01, 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::group {

/// Why a group epoch moved or a target was computed; one name per cause, used in logs, metrics and over HTTP.
enum class cause : std::uint8_t {
  member_joined,            // B1, B2: a member that was not there
  member_changed,           // B1, B2: a known member with other metadata
  metadata_changed,         // B3: a required topic appeared, vanished or changed
  topology_ready,           // B4: validated topology epoch set
  topology_not_ready,       // B4: validated topology epoch withdrawn
  assignment_config_changed,// B5
  refinement,               // B6
  member_left,              // B7: leave -1
  session_expired,          // B7
  rebalance_expired,        // B7
  member_removed,           // B7: by an administrator
  rebalance_requested,      // an administrator wants a new target, or drains a process
  target_computed,          // a new target assignment
};

/// The cause's name: `member-joined`, `metadata-changed`, ...
[[nodiscard]] std::string_view name(cause why) noexcept;

/// One line of a group's story.
struct event {
  std::int64_t time_ms = 0;
  cause why = cause::member_joined;
  std::int32_t group_epoch = 0;       ///< after the event
  std::int32_t assignment_epoch = 0;  ///< after the event
  std::string member_id;              ///< who caused it; empty if nobody did
  std::string process_id;
  std::string client_id;
  std::string client_host;
  std::string detail;                 ///< what changed, old -> new, in words
  std::string assignor;               ///< for target_computed
  std::int32_t tasks_moved = 0;       ///< for target_computed: active tasks with another owner
  std::string by;                     ///< name of the administrator's token; empty: nobody's, or there are no tokens

  bool operator==(const event&) const = default;
};

}  // namespace weir::group
