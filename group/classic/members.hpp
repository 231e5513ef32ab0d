// The members of a classic group (JoinGroup and its kin). Embedded mode has just enough of them for an application to
// move from the classic protocol to streams and back; they are soft state, a restart makes them join again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::group {

/// empty: no members. preparing: waits for JoinGroup of everybody. completing: waits for the leader's SyncGroup.
enum class classic_phase : std::uint8_t { empty, preparing, completing, stable };

/// Kafka's names: Empty, PreparingRebalance, CompletingRebalance, Stable.
[[nodiscard]] std::string_view name(classic_phase phase) noexcept;

/// Times in milliseconds, deadlines in clock milliseconds.
struct classic_member {
  std::optional<std::string> instance_id;
  std::string client_id;
  std::string client_host;
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = 0;
  std::vector<std::pair<std::string, std::string>> protocols;  ///< name and metadata, the preferred one first
  std::string assignment;
  std::int64_t session_deadline_ms = 0;
  bool is_joining = false;  ///< its JoinGroup waits for the others; no session deadline meanwhile
  bool is_syncing = false;  ///< its SyncGroup waits for the leader; likewise
};

struct classic_members {
  classic_phase phase = classic_phase::empty;
  std::int32_t generation = 0;
  std::string protocol_type;
  std::string protocol;
  std::string leader;
  std::map<std::string, classic_member, std::less<>> members;
  /// Ids that were given with MEMBER_ID_REQUIRED and not used yet, and until when they count.
  std::map<std::string, std::int64_t, std::less<>> promised;
  std::int64_t rebalance_deadline_ms = 0;  ///< while preparing: nobody is waited for any longer

  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;
  /// Id of the member with that instance id, or nullptr.
  [[nodiscard]] const std::string* holder_of(std::string_view instance_id) const;
};

}  // namespace weir::group
