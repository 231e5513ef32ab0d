// StreamsGroupHeartbeat (88): the checks that need no group (spec 01, 1.4 and 1.5), then to the group's coordinator.
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/heartbeat_front.hpp"

namespace weir::server::handlers {

void streams_group_heartbeat::handle(request asked, call c, embedded_node& node) {
  pass_heartbeat(node.coordinator, std::move(asked), std::move(c));
}

}  // namespace weir::server::handlers
