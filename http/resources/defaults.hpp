// /v1/config: what a group runs with that overrides nothing, and the defaults that are tuned at run time.
#pragma once

#include "actors/coordinator.hpp"
#include "http/resources/groups.hpp"
#include "http/router.hpp"

namespace weir::http {

/// Ids of groups that an answer names at most.
inline constexpr std::size_t defaults_groups_max = 100;

/// Where values of the broker come from: `run time` for those that were tuned, else as `configured` says. `groups` must
/// outlive it.
[[nodiscard]] origin_lookup origins_with_defaults(const actors::coordinator& groups, origin_lookup configured);

void add_defaults(router& to, actors::coordinator& groups, const origin_lookup& configured);

}  // namespace weir::http
