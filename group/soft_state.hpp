// What a restart may lose (spec 01 section 0, "soft"), kept visibly apart from hard state. It changes by soft_update,
// never by records, and is never rolled back by a failed write.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "group/classic/members.hpp"
#include "group/consumer/members.hpp"
#include "group/offsets/open_transactions.hpp"
#include "group/record.hpp"
#include "group/tasks.hpp"
#include "group/topology/configure.hpp"
#include "protocol/error_codes.hpp"

namespace weir::group {

enum class group_state : std::uint8_t;

/// What a member is up to, as far as others wait for it.
struct member_phase {
  member_state state = member_state::stable;
  bool is_away = false;  ///< static, left for a while

  bool operator==(const member_phase&) const = default;
};

[[nodiscard]] inline member_phase phase_of(const current_assignment& current) noexcept {
  return {.state = current.state, .is_away = current.is_away()};
}

/// Something that went well, but only just.
struct near_miss {
  enum class kind : std::uint8_t {
    late_heartbeat,  ///< a heartbeat came after near_miss_percent of the session time-out
    late_return,     ///< a static member came back when so much of its time was over
  };
  std::int64_t time_ms = 0;
  std::string member_id;
  kind what = kind::late_heartbeat;
  std::int64_t after_ms = 0;  ///< since the heartbeat before
  std::int64_t limit_ms = 0;  ///< after so long the member would have been removed

  bool operator==(const near_miss&) const = default;
};
inline constexpr std::int64_t near_miss_percent = 80;
inline constexpr std::size_t near_misses_max = 32;  ///< kept of a group
[[nodiscard]] std::string_view name(near_miss::kind what) noexcept;
/// What came when left_ms of limit_ms were left, if that was a near miss. Copies the id only then.
[[nodiscard]] std::optional<near_miss> near_miss_of(near_miss::kind what, std::string_view member_id,
                                                    std::int64_t now_ms, std::int64_t left_ms, std::int64_t limit_ms);

/// What a member reported of its tasks, by subtopology. It never changes, so copies of a group share it.
class reported_offsets {
 public:
  reported_offsets() = default;
  reported_offsets(task_offsets list) : list_(std::make_shared<const task_offsets>(std::move(list))) {}

  [[nodiscard]] const task_offsets& get() const noexcept { return list_ ? *list_ : nothing(); }
  operator const task_offsets&() const noexcept { return get(); }

 private:
  static const task_offsets& nothing() noexcept {
    static const task_offsets none;
    return none;
  }
  std::shared_ptr<const task_offsets> list_;  // null: nothing
};

/// Commits of a member as they were judged, since it joined or Weir was started, whichever was later.
struct commit_counts {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::int64_t last_refused_ms = 0;  ///< means something once one was refused, as last_error does
  protocol::error_code last_error = protocol::error_code::none;

  bool operator==(const commit_counts&) const = default;
};

/// Deadlines and reports of one member. Times are clock milliseconds.
struct member_soft {
  std::optional<std::int64_t> session_deadline_ms;
  std::optional<std::int64_t> rebalance_deadline_ms;
  std::int32_t rebalance_epoch = 0;  ///< the member epoch the rebalance deadline is bound to (spec 01 section 9)
  reported_offsets offsets;
  reported_offsets end_offsets;
  bool names_active = false;  ///< its last report of what it owns names an active task; not so after a restart
  bool reports_offsets = false;  ///< has sent such a list, if only an empty one
  std::optional<std::int64_t> first_heard_ms;
  std::optional<member_phase> phase;           ///< as last seen
  std::optional<std::int64_t> phase_since_ms;  ///< nothing: since before a restart
  commit_counts commits;
};

/// Records that the member's copy of a task is behind, at least 0; nothing unless it reports both offsets.
[[nodiscard]] std::optional<std::int64_t> lag_of(const member_soft& soft, std::string_view subtopology,
                                                 std::int32_t partition) noexcept;

/// How a warm-up gets on (spec 03, 8.5). One that does not rests: others go first, until it is tried again.
struct warm_up_watch {
  std::string subtopology_id;
  std::int32_t partition = 0;
  std::string process_id;
  std::int64_t offset = -1;      ///< reported when it was last looked at; -1: none
  std::int64_t highest = -1;     ///< of these: only more than that is progress
  std::int64_t look_ms = 0;      ///< looked at again then; if it rests, tried again then
  std::int32_t times_stuck = 0;  ///< in a row
  bool runs = false;             ///< it has a warm-up task
  std::int64_t began_ms = 0;     ///< means something while it runs: since then
  bool rests = false;
  bool is_new_rest = false;      ///< found out when this step was made
};

/// A step on the way to the target: what members are reconciled to while tasks warm up (spec 01, 7.6). Never changes
/// once it is made.
struct interim_target {
  std::int32_t epoch = 0;  ///< assignment epoch it is in force for
  /// Who is to hold something else than its target; the others are to hold that.
  std::map<std::string, role_tasks, std::less<>> members;
  std::size_t waiting = 0;  ///< tasks that are not where the target wants them yet
  std::int32_t warmup_replicas = 0;  ///< it was made for so many
  /// Process -> tasks that are to catch up there: reports of them can bring the next step.
  std::map<std::string, task_set, std::less<>> awaited;
  std::vector<warm_up_watch> watches;
  /// Then somebody who reported nothing is no longer waited for, or a warm-up is looked at.
  std::optional<std::int64_t> recheck_ms;
};

/// Asking members for the topology description (spec 01, 5.7): not again for the same epoch before that time.
struct description_back_off {
  std::int32_t topology_epoch = -1;
  std::int64_t next_ms = 0;
  std::int32_t asked = 0;  ///< times in a row
};

/// A topology that some members still run, and what its patterns matched when it was noted.
struct former_version {
  std::shared_ptr<const weir::group::topology> topology;
  std::shared_ptr<const pattern_matches> matches;  ///< null: it has no patterns, or that is not known
};

/// The group's own patterns are being tried on topics that they have not been tried on.
struct pattern_progress {
  std::size_t topics = 0;   ///< there are so many, for the image at hand
  std::size_t untried = 0;  ///< of them; at most `topics`; 0: it is over
  std::int64_t since_ms = 0;

  bool operator==(const pattern_progress&) const = default;
};

/// Soft state of one group.
struct soft_state {
  std::map<std::string, member_soft, std::less<>> members;
  std::optional<std::int64_t> initial_delay_deadline_ms;
  std::int32_t endpoint_epoch = 0;
  std::optional<std::string> shutdown_requester;
  std::shared_ptr<const configured_topology> configured;  ///< null until configured after start
  std::shared_ptr<const pattern_matches> matches;         ///< of the topology's patterns; null: not known
  std::optional<pattern_progress> trying;                 ///< nothing: `matches` are for the image at hand, or unasked
  std::int64_t refresh_deadline_ms = 0;                   ///< (0, 0) = expired (spec 02, 8.5)
  std::int32_t refresh_epoch = 0;
  open_transactions transactions;  ///< offsets whose transaction has not ended; a restart aborts them
  classic_members classic;         ///< of a group that is no streams group
  consumer_members consumer;       ///< of a consumer group
  description_back_off description;
  std::shared_ptr<const interim_target> interim;  ///< null: members get their targets
  bool interim_has_news = false;                  ///< reports since it was last looked at
  /// By epoch: older than the group's, and run by members. Never more than limits::former_topologies_max.
  std::map<std::int32_t, former_version> former_topologies;
  std::optional<group_state> state;               ///< as last seen, see note_state()
  std::optional<std::int64_t> state_since_ms;     ///< nothing: since before a restart
  std::vector<near_miss> near_misses;             ///< the newest near_misses_max, oldest first
  std::uint64_t commits_refused_of_strangers = 0;  ///< of who is no member
};

/// How one request changes soft state; applied after its records. Every part is optional, an ordinary heartbeat sets
/// only the session deadline. Strings are copied only when something is kept for longer than the request.
struct soft_update {
  text member_id;  ///< whom the member fields are about, of any kind; a view into the request
  std::optional<std::int64_t> heard_ms;  ///< kept if it is the first time
  std::optional<std::int64_t> session_deadline_ms;
  std::optional<std::int64_t> rebalance_deadline_ms;  ///< set with rebalance_epoch
  std::int32_t rebalance_epoch = 0;
  bool cancel_rebalance = false;
  std::optional<reported_offsets> offsets;
  std::optional<reported_offsets> end_offsets;
  std::optional<std::int64_t> initial_delay_deadline_ms;
  bool cancel_initial_delay = false;
  std::optional<bool> names_active;
  bool bump_endpoint_epoch = false;
  std::optional<std::string> shutdown_requester;
  std::shared_ptr<const configured_topology> configured;
  std::shared_ptr<const pattern_matches> matches;  ///< ends `trying`
  std::optional<pattern_progress> trying;
  std::optional<std::int64_t> refresh_deadline_ms;  ///< set with refresh_epoch
  std::int32_t refresh_epoch = 0;
  std::vector<transaction_change> transactions;
  std::vector<classic_step> classic_steps;  ///< after `classic`
  std::shared_ptr<const consumer_changes> consumer;
  // Each replaces what there was.
  std::optional<classic_members> classic;
  std::optional<description_back_off> description;
  std::optional<std::shared_ptr<const interim_target>> interim;
  std::optional<bool> interim_has_news;
  former_version former;  ///< to be remembered as long as members run it; null: none
  std::optional<near_miss> near_miss_seen;
};

}  // namespace weir::group
