// GET /metrics (Prometheus' text format) and GET /openapi.yaml.
#pragma once

#include <functional>

#include "actors/coordinator.hpp"
#include "base/metrics.hpp"
#include "http/router.hpp"

namespace weir::http {

/// Gauges of groups are read from `groups` at each scrape; `refresh` sets those that only its owner can read. `groups`
/// and `metrics` must outlive the router.
void add_metrics(router& to, actors::coordinator& groups, weir::metrics::set& metrics, std::function<void()> refresh);

/// Serves the description of this API as it was built in.
void add_openapi(router& to);

/// http/openapi.yaml.
[[nodiscard]] std::string_view openapi_yaml() noexcept;
[[nodiscard]] std::string_view openapi_json() noexcept;  ///< the same

}  // namespace weir::http
