// Leaving for good, leaving for a while, and being removed (spec 01, 2.4.3 and 2.5).
#pragma once

#include <string_view>

#include "group/heartbeat/step.hpp"

namespace weir::group {

/// Epochs -1 and -2. The epoch of a leaving member is not checked (X13).
[[nodiscard]] heartbeat_outcome leave(const call& c);

/// Takes the member out of the group: leave, expired session, expired rebalance, administrator. An unknown member gives
/// an empty outcome.
[[nodiscard]] change_outcome remove_member(const streams_group& group, std::string_view member_id, cause why,
                                           std::int64_t now_ms);

}  // namespace weir::group
