// What a group waits for, as data and in words: which member, which tasks, who is blocked by it, since when and until
// when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "group/streams_group.hpp"

namespace weir::group {

enum class waiting_reason : std::uint8_t {
  missing_topics,       ///< a topic that is missing or has the wrong number of partitions
  no_topology,          ///< no member has sent one
  unvalidated,          ///< the next heartbeat of any member looks at the topics
  initial_delay,        ///< for more members of a new group
  assignment_interval,  ///< the next target may not be computed yet, or nobody came to compute it
  revocation,           ///< a member has to release tasks
  held_task,            ///< a member's tasks are held by another
  warm_up,              ///< a task is restored by the member that shall have it
  static_member,        ///< left for a while
  heartbeat,            ///< a member has not heard of the assignment
  unknown_member,       ///< its stored state is not known
  topology_upgrade,     ///< members that run an older topology; `blocks` names them
  patterns,             ///< of source topics, which are being tried on topics
};
/// `missing-topics`, `held-task`, ...
[[nodiscard]] std::string_view name(waiting_reason why) noexcept;

/// One thing that is waited for. Lists have at most waiting_list_max entries.
struct waiting {
  waiting_reason why = waiting_reason::heartbeat;
  std::string member_id;             ///< who is waited for; held_task, warm_up: who waits; else empty
  std::vector<std::string> blocks;   ///< members that wait for it, by id
  std::vector<std::string> tasks;    ///< `1_3`
  std::string holder;                ///< held_task, warm_up: who runs the tasks; empty: nobody, they are free
  std::optional<std::int64_t> since_ms;    ///< for so long; nothing: not known, or since before a restart
  std::optional<std::int64_t> ends_in_ms;  ///< then it ends by itself, or the member is removed; at least 0
  std::optional<std::int64_t> lag;         ///< warm_up: records behind, if the member reports it
  std::string topic;                       ///< missing_topics
  std::optional<std::int32_t> expected_partitions;  ///< missing_topics: if any number would not do
  std::optional<std::int32_t> found_partitions;     ///< missing_topics: nothing if it does not exist
  std::string text;                                 ///< the sentence

  bool operator==(const waiting&) const = default;
};
inline constexpr std::size_t waiting_list_max = 100;
inline constexpr std::size_t waiting_max = 1000;  ///< reasons told of one group

/// What a streams group waits for. Empty if it is EMPTY, or STABLE with every task where it shall be and all topics
/// known. O(members + tasks).
[[nodiscard]] std::vector<waiting> waits_of(const streams_group& group, const group_config& config,
                                            std::int64_t now_ms);

/// How far the patterns of source topics are, in words; empty: they are not being tried.
[[nodiscard]] std::string words_for_patterns(const streams_group& group);

/// The sentences of them, each once.
[[nodiscard]] std::vector<std::string> in_words(const std::vector<waiting>& waits);

}  // namespace weir::group
