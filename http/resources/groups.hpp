// GET /v1/groups and GET /v1/groups/{group}.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// Where the broker-wide value of a key comes from: `default`, `file`, `environment` or `flag`.
using origin_lookup = std::function<std::string(std::string_view broker_key)>;

/// `groups` must outlive the router.
void add_groups(router& to, actors::coordinator& groups, origin_lookup origin_of);

}  // namespace weir::http
