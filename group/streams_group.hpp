// The pure streams group: hard state, soft state, and the functions that decide. No CAF, no sockets, no clock, no disk.
// Decisions read a const group and return an outcome; apply() is the only way to change hard state, live and in replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assignor/registry.hpp"
#include "group/config.hpp"
#include "group/event.hpp"
#include "group/record.hpp"
#include "group/soft_state.hpp"
#include "group/topology/match_limit.hpp"
#include "metadata/hash_cache.hpp"
#include "metadata/image.hpp"

namespace weir::group {

/// A member's durable part. A member exists from its metadata or its current assignment on (spec 04 section 4).
struct member {
  member_metadata metadata;
  current_assignment current;
  bool metadata_seen = false;  ///< its record of type 19 was applied; finish_load() drops half members
  bool current_seen = false;   ///< likewise type 22
  // Derived: java_hash of its id and its process id, for assignors that decide ties as Kafka does.
  std::int32_t id_hash = 0;
  std::int32_t process_hash = 0;

  bool operator==(const member&) const = default;
};

/// Who holds what, over all members (spec 01, 8.2): assigned and pending revocation count. Kept by
/// heartbeat/holders.hpp.
struct holders {
  std::map<std::string, std::map<std::int32_t, std::string>, std::less<>> active;             ///< task -> process
  std::map<std::string, std::map<std::int32_t, std::set<std::string>>, std::less<>> standby;  ///< task -> processes
  std::map<std::string, std::map<std::int32_t, std::set<std::string>>, std::less<>> warmup;
  std::size_t entries = 0;   ///< in the maps above
  std::size_t holdings = 0;  ///< over all members; more than entries if some task is claimed twice

  bool operator==(const holders&) const = default;
};

/// none: nothing stored under this id. simple: a classic group, often no more than committed offsets; it stays until
/// it is deleted or cleaned up. streams, consumer: such a group, even an empty one.
enum class group_kind : std::uint8_t { none, simple, streams, consumer };

/// Kafka's name of the type: classic, streams, consumer.
[[nodiscard]] std::string_view type_name(group_kind kind) noexcept;

/// Wire names and conditions: spec 01, 6.1.
enum class group_state : std::uint8_t { empty, not_ready, assigning, reconciling, stable, dead };
[[nodiscard]] std::string_view name(group_state state) noexcept;

/// One group. Copyable (what-if works on a copy). Owned by its group actor; never shared between threads.
struct streams_group {
  std::string id;
  // Hard state, changed by apply() alone.
  group_kind kind = group_kind::none;
  group_metadata metadata;
  bool metadata_seen = false;  ///< a record of type 17 was applied
  target_metadata target_info;
  std::optional<weir::group::topology> topology;
  std::set<std::string> required_topics;  ///< derived from topology: what the metadata actor is told
  bool reads_patterns = false;            ///< likewise: it is to be told of every topic
  std::map<std::string, member, std::less<>> members;
  std::map<std::string, role_tasks, std::less<>> targets;
  std::map<std::string, std::string, std::less<>> static_members;  ///< instance id -> member id, derived
  holders held;                                                    ///< derived
  /// Derived: how many members run the topology of an epoch. One entry, unless an update is under way.
  std::map<std::int32_t, std::size_t> members_by_topology;
  std::map<std::string, std::map<std::int32_t, committed_offset>, std::less<>> offsets;
  std::optional<classic_metadata> classic;  ///< an empty classic group is stored under this id
  std::optional<consumer_metadata> consumer;  ///< likewise of a consumer group, empty or not
  std::optional<topology_description> description;
  // What a restart may lose.
  soft_state soft;
};

/// What the caller of the rules knows of patterns (decision 013). By default nothing: then the rules try them.
struct pattern_knowledge {
  bool are_own_pending = false;   ///< those of the group's topology are being tried on the topics of the image
  bool are_sent_pending = false;  ///< those of the topology in the request
  std::shared_ptr<const pattern_matches> sent;  ///< what the latter match there; null: not known
  match_limit limit = {};  ///< how long the rules may try those of which nothing is known
};

/// The world as a decision sees it; nothing in it changes during the call.
struct world {
  const metadata::image& image;
  metadata::hash_cache& hashes;  ///< memo of pure functions of the image
  const group_config& config;    ///< effective for this group
  std::int32_t max_size;         ///< group.streams.max.size
  const assignor::registry& assignors;
  bool strict_kafka;  ///< reproduce Kafka where spec 01, 13 would improve on it
  std::int64_t now_ms;
  pattern_knowledge patterns = {};
  bool keeps_descriptions = false;  ///< members are asked for topology descriptions (spec 01, 5.7)
};

/// The only mutation of hard state (spec 04 section 8, tolerant: never fails). Keeps all derived parts up to date.
void apply(streams_group& group, const record& r);
/// Applies the soft part of an outcome; call after its records.
void apply(streams_group& group, const soft_update& update);
/// After the last replayed record (spec 04, 8.5 and 11): repairs what a foreign log may show, starts every session
/// deadline in full and the rebalance deadlines of members in UNREVOKED_TASKS. Returns one line per repair.
std::vector<std::string> finish_load(streams_group& group, const group_config& config, std::int64_t now_ms);

/// Spec 01, 6.1. O(members) only while assignment and group epoch agree.
[[nodiscard]] group_state state_of(const streams_group& group);

/// Soft: remembers since when the group is in its state. Call after records were applied. True if the state is another
/// one than before.
bool note_state(streams_group& group, std::int64_t now_ms);

/// Who or what keeps a group from being STABLE.
struct hindrance {
  hold_up why = hold_up::slow_heartbeat;
  std::string member_id;  ///< empty for topics
};
/// The most telling one of NOT_READY and RECONCILING groups: who has to release comes before who waits for that.
/// Nothing in other states. O(members).
[[nodiscard]] std::optional<hindrance> hindrance_of(const streams_group& group);

/// The metadata image changed a required topic: the next heartbeat recomputes hash and configuration (spec 02, 8.4).
void invalidate_metadata(streams_group& group) noexcept;

/// Whether the group has members of whatever kind.
[[nodiscard]] bool has_members(const streams_group& group) noexcept;

/// Earliest deadline of any member or of the group, clock milliseconds. O(members): ask at a wake-up or after
/// soft_update told of an earlier one.
[[nodiscard]] std::optional<std::int64_t> next_deadline(const streams_group& group);

}  // namespace weir::group
