// Read models of a group: for StreamsGroupDescribe, ListGroups and the admin API. Built by the group actor in one go;
// immutable and shared afterwards, so serialising never touches the group.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "group/streams_group.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"

namespace weir::group {

/// A row of a list.
struct group_summary {
  std::string id;
  group_kind kind = group_kind::none;
  group_state state = group_state::empty;  ///< of a streams or consumer group
  std::string_view state_name;             ///< as Kafka calls it, of any kind; `Unknown` while loading
  std::string protocol_type;               ///< `streams`, `consumer`; of a classic group what its members said last
  std::int32_t group_epoch = 0;
  std::int32_t assignment_epoch = 0;
  std::int32_t members = 0;
  std::int32_t active_tasks = 0;  ///< assigned, over all members
  std::int32_t standby_tasks = 0;
  std::int32_t warmup_tasks = 0;
  bool is_held_up = false;  ///< whatever its state: soft_state::trying, or nobody runs the newest topology
  bool loading = false;  ///< being read from the log: only id and kind (as last known) mean anything
};

/// So much of the timeline comes with a view; the rest is asked for by pages.
inline constexpr std::size_t events_shown = 50;

/// Everything the admin API shows of a group: a copy of the state at one moment.
struct group_view {
  streams_group group;
  group_config config;
  overrides own_config;
  group_state state = group_state::empty;
  std::vector<event> timeline;     ///< newest last; the newest events_shown of what is kept
  std::vector<loop_alarm> alarms;  ///< rebalance loops
  std::int64_t now_ms = 0;
};

[[nodiscard]] group_summary summarise(const streams_group& group);
[[nodiscard]] group_summary loading_summary(std::string id, group_kind last_known);

/// Spec 05, 4.9, for a streams group, with its topology description if one is stored; the configured topology is built
/// from the image if absent (spec 04, 11).
[[nodiscard]] protocol::streams_group_describe_response::described_group_data describe(const streams_group& group,
                                                                                       const world& world);

/// The same for an id that no group has.
[[nodiscard]] protocol::streams_group_describe_response::described_group_data describe_nobody(
    const std::string& group_id);

}  // namespace weir::group
