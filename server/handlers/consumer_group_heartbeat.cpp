// ConsumerGroupHeartbeat (68): spec 05, 4.7.
#include "protocol/messages/consumer_group_heartbeat_request.hpp"
#include "protocol/messages/consumer_group_heartbeat_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/other_protocols.hpp"

namespace weir::server::handlers {

void consumer_group_heartbeat::handle(request asked, call c, embedded_node& node) {
  answer_foreign_heartbeat<protocol::consumer_group_heartbeat_response>(asked, c, "consumer", node);
}

}  // namespace weir::server::handlers
