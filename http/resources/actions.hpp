// What an administrator does to a group: rebalance it, take a member out, drain a process, delete it.
#pragma once

#include "actors/coordinator.hpp"
#include "http/resources/what_if.hpp"
#include "http/router.hpp"

namespace weir::http {

/// POST /v1/groups/{group}/rebalance, POST .../members/{member}/remove, POST and DELETE .../processes/{process}/drain,
/// all with ?dry_run=true; DELETE /v1/groups/{group}. `groups` and `plans` must outlive the router.
void add_actions(router& to, actors::coordinator& groups, planner* plans);

}  // namespace weir::http
