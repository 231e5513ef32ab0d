#include "http/admin_api.hpp"

#include "http/resources/actions.hpp"
#include "http/resources/assignment.hpp"
#include "http/resources/config.hpp"
#include "http/resources/defaults.hpp"
#include "http/resources/events.hpp"
#include "http/resources/group_health.hpp"
#include "http/resources/members.hpp"
#include "http/resources/metrics.hpp"
#include "http/resources/offsets.hpp"
#include "http/resources/page.hpp"
#include "http/resources/timeline.hpp"
#include "http/resources/topology.hpp"
#include "http/resources/webhooks.hpp"
#include "http/resources/what_if.hpp"

namespace weir::http {

router make_router(admin_api parts) {
  router routes(std::move(parts.access));
  add_defaults(routes, *parts.groups, parts.origin_of);
  parts.origin_of = origins_with_defaults(*parts.groups, std::move(parts.origin_of));
  add_health(routes, std::move(parts.live), std::move(parts.ready));
  add_version(routes, std::move(parts.version), std::move(parts.mode));
  add_metrics(routes, *parts.groups, *parts.metrics, std::move(parts.refresh_metrics));
  add_openapi(routes);
  add_config(routes, *parts.groups, parts.origin_of, parts.plans);
  add_groups(routes, *parts.groups, std::move(parts.origin_of));
  add_topology(routes, *parts.groups);
  add_timeline(routes, *parts.groups, parts.followers_max);
  add_events(routes, *parts.groups, parts.followers_max);
  add_members(routes, *parts.groups);
  add_assignment(routes, *parts.groups);
  add_offsets(routes, *parts.groups, parts.offsets);
  add_group_health(routes, *parts.groups);
  add_what_if(routes, parts.plans);
  add_rehearsal(routes, *parts.groups, parts.upstream);
  add_actions(routes, *parts.groups, parts.plans);
  add_webhooks(routes, std::move(parts.webhooks));
  add_topics(routes, *parts.groups, parts.topics);
  add_page(routes);
  return routes;
}

}  // namespace weir::http
