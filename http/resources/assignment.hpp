// GET /v1/groups/{group}/assignment: what is held against what shall be, by process and by task.
#pragma once

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// `groups` must outlive the router.
void add_assignment(router& to, actors::coordinator& groups);

}  // namespace weir::http
