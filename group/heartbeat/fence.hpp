// S2 for those who are in the group already: is this the member it says it is, and at the epoch it should be?
#pragma once

#include <optional>

#include "group/heartbeat/read_request.hpp"

namespace weir::group {

/// The member an ordinary or leaving request speaks for. G1, G3, G5, G6 (spec 01, 1.5).
[[nodiscard]] checked<const member*> find_member(const streams_group& group, const heartbeat_request& request);

/// G7, the table of spec 01, 2.3.
[[nodiscard]] std::optional<refusal> check_epoch(const current_assignment& current, std::int32_t received,
                                                 const std::optional<owned_report>& owned);

}  // namespace weir::group
