// GET /v1/groups/{group}/topology: the application of a streams group as its members sent it.
#pragma once

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// Subtopologies with their topics, and the description of their inside (KIP-1331) if one is stored. What
/// StreamsGroupDescribe answers (spec 05, 4.9). `groups` must outlive the router.
void add_topology(router& to, actors::coordinator& groups);

}  // namespace weir::http
