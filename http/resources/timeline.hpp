// GET /v1/groups/{group}/timeline: the explained events of a group, newest first; waits for newer ones if asked to.
#pragma once

#include <cstddef>

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// `groups` must outlive the router and every answer. followers_max: of those that wait and those that follow events,
/// together.
void add_timeline(router& to, actors::coordinator& groups, std::size_t followers_max);

}  // namespace weir::http
