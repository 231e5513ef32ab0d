// The whole admin API put together: every resource in one router.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/coordinator.hpp"
#include "base/metrics.hpp"
#include "http/resources/groups.hpp"
#include "http/resources/health.hpp"
#include "http/resources/offsets.hpp"
#include "http/resources/rehearsal.hpp"
#include "http/resources/topics.hpp"
#include "http/resources/what_if.hpp"
#include "http/router.hpp"
#include "http/webhooks.hpp"

namespace weir::http {

/// What the resources need; whatever is pointed at must outlive the router.
struct admin_api {
  actors::coordinator* groups = nullptr;
  planner* plans = nullptr;
  topic_admin* topics = nullptr;         ///< null in gateway mode
  upstream_groups* upstream = nullptr;   ///< null in embedded mode
  upstream_offsets* offsets = nullptr;   ///< likewise
  weir::metrics::set* metrics = nullptr;
  std::function<void()> refresh_metrics; ///< called before each scrape; may be empty
  origin_lookup origin_of;
  webhook_watch webhooks;                ///< empty: there are none
  std::vector<health_check> live;
  std::vector<health_check> ready;
  write_access access;
  std::size_t followers_max = 64;  ///< requests that wait for events, and followers of them
  std::string version;
  std::string mode;
};

[[nodiscard]] router make_router(admin_api parts);

}  // namespace weir::http
