// Deleting offsets and groups: OffsetDelete, DeleteGroups, deleted topics, conversion (spec 04, sections 7, 12, 13).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "group/outcome.hpp"
#include "group/refusal.hpp"
#include "group/streams_group.hpp"

namespace weir::group {

/// Spec 05, 4.6: nothing if the group may be deleted; NON_EMPTY_GROUP with members, GROUP_ID_NOT_FOUND if there is no
/// such group.
[[nodiscard]] std::optional<refusal> check_deletion(const streams_group& group);

/// Tombstones of everything stored under the id, in Kafka's order: offsets, 2, 3, 22, 21, 20, 19, 17, 23. Applied, they
/// leave a group of kind none.
[[nodiscard]] records deletion_records(const streams_group& group);

/// Tombstones of an empty streams group; its offsets stay.
[[nodiscard]] records ending_records(const streams_group& group);

/// E18 of spec 04, section 5: an empty streams or consumer group becomes an empty classic group; its offsets stay.
[[nodiscard]] records conversion_records(const streams_group& group, std::int64_t now_ms);

/// Topics that are gone, with the ids they had.
using deleted_topics = std::vector<std::pair<std::string, uuid>>;

/// What goes when topics are deleted (spec 04, 13.6): offsets committed or pending for such a topic's id, or without an
/// id.
[[nodiscard]] change_outcome topic_deletion(const streams_group& group, const deleted_topics& topics);

/// OffsetDelete (spec 05, 4.5). A group that loses its last offset stays, as an empty one. `verdicts` is parallel to
/// what was asked for, unless the group is unknown.
struct offset_deletion {
  protocol::error_code error = protocol::error_code::none;
  std::vector<protocol::error_code> verdicts;
  group::records records;
};
[[nodiscard]] offset_deletion delete_offsets(const streams_group& group, const std::vector<offset_name>& wanted,
                                             bool strict_kafka = false);

}  // namespace weir::group
