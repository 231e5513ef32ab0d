// ShareGroupHeartbeat (76): spec 05, 4.7.
#include "protocol/messages/share_group_heartbeat_request.hpp"
#include "protocol/messages/share_group_heartbeat_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/other_protocols.hpp"

namespace weir::server::handlers {

void share_group_heartbeat::handle(request asked, call c, embedded_node& node) {
  answer_foreign_heartbeat<protocol::share_group_heartbeat_response>(asked, c, "share", node);
}

}  // namespace weir::server::handlers
