// What of a group's soft state outlives the loss of records: a write that failed, or an actor that died.
#pragma once

#include "group/streams_group.hpp"

namespace weir::group {

/// Soft state is not rolled back (spec 04, 9.2): `group` has been built anew from the log, and members that are still
/// there keep their deadlines and reports of `before`. What was derived from lost records is derived again. Call after
/// finish_load().
void carry_over(streams_group& group, soft_state before);

}  // namespace weir::group
