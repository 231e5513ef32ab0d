// Interactive queries: which partitions are served under which host (spec 01, 5.6; spec 02, section 6).
#pragma once

#include <vector>

#include "group/heartbeat/settle_topology.hpp"

namespace weir::group {

using endpoint_entry = heartbeat_response::endpoint_to_partitions_data;

/// One entry for each member with an endpoint; the requester with what this heartbeat gives it. `replaced_id` is left
/// out. What cannot be resolved is not listed (X1); in strict mode that refuses the request (G15).
[[nodiscard]] checked<std::vector<endpoint_entry>> list_endpoints(const call& c, const member_metadata& requester,
                                                                  const assigned_tasks& assigned,
                                                                  const std::string* replaced_id,
                                                                  const configured_topology* configured);

}  // namespace weir::group
