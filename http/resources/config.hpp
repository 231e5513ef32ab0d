// Settings: GET, PUT, PATCH and DELETE /v1/groups/{group}/config, GET /v1/config, GET /v1/assignors.
#pragma once

#include "actors/coordinator.hpp"
#include "http/resources/groups.hpp"
#include "http/resources/what_if.hpp"
#include "http/router.hpp"

namespace weir::http {

/// `groups` and `plans` must outlive the router.
void add_config(router& to, actors::coordinator& groups, const origin_lookup& origin_of,
                planner* plans);

}  // namespace weir::http
