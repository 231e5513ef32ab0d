// GET /v1/events: the events of all groups, or of one, as server-sent events (WHATWG HTML, 9.2) while they happen.
#pragma once

#include <cstddef>

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// As add_timeline().
void add_events(router& to, actors::coordinator& groups, std::size_t followers_max);

}  // namespace weir::http
