// The members of a classic group (JoinGroup and its kin). Embedded mode has just enough of them for an application to
// move from the classic protocol to streams and back; they are soft state, a restart makes them join again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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

/// Name and metadata, the preferred one first.
using classic_protocols = std::vector<std::pair<std::string, std::string>>;

/// Times in milliseconds, deadlines in clock milliseconds.
struct classic_member {
  std::optional<std::string> instance_id;
  std::string client_id;
  std::string client_host;
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = 0;
  std::shared_ptr<const classic_protocols> protocols = std::make_shared<const classic_protocols>();  ///< never null
  std::string assignment;
  std::int64_t session_deadline_ms = 0;
  bool is_joining = false;  ///< its JoinGroup waits for the others; no session deadline meanwhile
  bool is_syncing = false;  ///< its SyncGroup waits for the leader; likewise
  bool owes_sync = false;   ///< has not sent the SyncGroup of this generation
};

/// What happens to one member while the others stay as they are: cheaper than another copy of all of them.
struct classic_step {
  std::string id;
  std::optional<classic_member> member;           ///< as it is from now on
  std::optional<std::int64_t> promised_until_ms;  ///< or the id is promised; if neither, nobody has it any longer
};

/// When something becomes due because of it.
[[nodiscard]] std::optional<std::int64_t> deadline_of(const classic_step& step);

/// `members` gains and loses only by put and erase, which keep the counts.
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
  std::int64_t sync_deadline_ms = 0;       ///< while a SyncGroup is owed: who owes it is out

  // Counts, so that no request has to look at every member.
  std::map<std::string, std::string, std::less<>> instances;    ///< instance id to member id
  std::map<std::string, std::size_t, std::less<>> supporters;  ///< members by the name of a protocol they support
  std::size_t joining = 0;                                      ///< members with is_joining
  std::size_t owing = 0;                                        ///< members with owes_sync

  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;
  /// Id of the member with that instance id, or nullptr.
  [[nodiscard]] const std::string* holder_of(std::string_view instance_id) const;
  /// Members that support the protocol.
  [[nodiscard]] std::size_t supporters_of(std::string_view of) const;

  /// A new member, or one that is replaced by what it has become.
  void put(const std::string& id, classic_member member);
  void erase(std::string_view id);
  void take(const classic_step& step);
};

}  // namespace weir::group
