// StreamsGroupHeartbeat (88): its checks and its answer are the coordinator's matter (spec 01). Allocates nothing: the
// frame, its views and the connection move into the call.
#include <utility>

#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void streams_group_heartbeat::handle(request asked, call c, embedded_node& node) {
  actors::heartbeat_call to_group;
  to_group.context = {.version = c.version(),
                      .client_id = c.in.header.client_id.value_or(text()),
                      .client_host = text::view(c.in.connection->info().client_host)};
  to_group.frame = std::move(c.in.frame);
  to_group.request = std::move(asked);
  to_group.correlation_id = c.in.header.correlation_id;
  to_group.sink = std::move(c.in.connection);
  to_group.slot = c.in.slot;
  node.coordinator.heartbeat(std::move(to_group));
}

}  // namespace weir::server::handlers
