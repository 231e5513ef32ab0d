// GET /v1/webhooks: how the deliveries of each web hook go.
#pragma once

#include "http/router.hpp"
#include "http/webhooks.hpp"

namespace weir::http {

/// `watch` may be empty: there are no hooks. Never tells a token, nor of an address more than where the server is.
void add_webhooks(router& to, webhook_watch watch);

}  // namespace weir::http
