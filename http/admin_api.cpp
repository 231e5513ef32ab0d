#include "http/admin_api.hpp"

#include "http/resources/metrics.hpp"
#include "http/resources/page.hpp"
#include "http/resources/topology.hpp"

namespace weir::http {

router make_router(admin_api parts) {
  router routes(std::move(parts.access));
  add_health(routes, std::move(parts.live), std::move(parts.ready));
  add_version(routes, std::move(parts.version), std::move(parts.mode));
  add_metrics(routes, *parts.groups, *parts.metrics, std::move(parts.refresh_metrics));
  add_openapi(routes);
  add_groups(routes, *parts.groups, std::move(parts.origin_of));
  add_topology(routes, *parts.groups);
  add_topics(routes, *parts.groups, parts.topics);
  add_page(routes);
  return routes;
}

}  // namespace weir::http
