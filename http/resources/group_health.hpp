// GET /v1/groups/{group}/health and .../members/{member}/health, for probes of the application that is the group.
#pragma once

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// A group is healthy unless no member can make progress: it has none, all have left for a while, or it cannot run for
/// want of topics or a topology.
/// A member is healthy as long as it is in the group and not away, whatever the group waits for: starting it anew would
/// not help. Neither is red because of a rebalance. `groups` must outlive the router.
void add_group_health(router& to, actors::coordinator& groups);

}  // namespace weir::http
