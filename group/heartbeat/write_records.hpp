// What a heartbeat decided, as records in the order of spec 04, section 5.
#pragma once

#include "group/heartbeat/answer.hpp"

namespace weir::group {

/// Static replacement, 19, 23, 17, 21 of everybody whose target changed, 20, 22: whatever applies.
[[nodiscard]] records write_records(const call& c, const decisions& made, const epoch_plan& epoch);

}  // namespace weir::group
