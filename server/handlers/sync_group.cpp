// SyncGroup (14): spec 05, 4.7.
#include <memory>
#include <utility>

#include "group/classic/rebalance.hpp"
#include "protocol/messages/sync_group_request.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void sync_group::handle(request asked, call c, embedded_node& node) {
  constexpr std::int16_t protocol_named_from = 5;
  if (c.version() >= protocol_named_from && (!asked.protocol_type || !asked.protocol_name)) {
    return c.answer(group::refuse_sync(protocol::error_code::inconsistent_group_protocol));
  }
  if (asked.group_id.empty()) return c.answer(group::refuse_sync(protocol::error_code::invalid_group_id));
  node.coordinator.sync_classic(std::make_shared<const request>(std::move(asked)),
                                [c](const protocol::sync_group_response& answer) { c.answer(answer); });
}

}  // namespace weir::server::handlers
