// ConsumerGroupHeartbeat (68): KIP-848, docs/decisions/017.
#include <memory>
#include <utility>

#include "base/uuid.hpp"
#include "protocol/messages/consumer_group_heartbeat_request.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void consumer_group_heartbeat::handle(request asked, call c, embedded_node& node) {
  group::consumer_caller caller;
  caller.version = c.version();
  caller.client_id = c.in.header.client_id.value_or(text()).str();
  caller.client_host = c.in.connection->info().client_host;
  if (asked.member_id.empty()) caller.new_member_id = uuid::random(node.random).to_string();
  node.coordinator.heartbeat_consumer(
      std::make_shared<const request>(std::move(asked)), std::move(caller),
      [c](const protocol::consumer_group_heartbeat_response& answer) { c.answer(answer); });
}

}  // namespace weir::server::handlers
