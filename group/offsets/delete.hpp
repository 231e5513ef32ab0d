// Deleting a group: DeleteGroups, clean-up, conversion (spec 04, section 7).
#pragma once

#include <optional>

#include "group/refusal.hpp"
#include "group/streams_group.hpp"

namespace weir::group {

/// Spec 05, 4.6: nothing if the group may be deleted; NON_EMPTY_GROUP with members, GROUP_ID_NOT_FOUND if there is no
/// such group.
[[nodiscard]] std::optional<refusal> check_deletion(const streams_group& group);

/// Tombstones of everything stored under the id, in Kafka's order: offsets, 22, 21, 20, 19, 17, 23. Applied, they leave
/// a group of kind none.
[[nodiscard]] records deletion_records(const streams_group& group);

/// Tombstones of offsets whose topic was deleted: those committed for that topic id or without one (spec 04, 13.6).
[[nodiscard]] records topic_deletion_records(const streams_group& group, std::string_view topic, const uuid& topic_id);

}  // namespace weir::group
