// LeaveGroup (13): spec 05, 4.7.
#include <memory>
#include <utility>

#include "protocol/messages/leave_group_request.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void leave_group::handle(request asked, call c, embedded_node& node) {
  if (asked.group_id.empty()) {
    protocol::leave_group_response refused;
    refused.error_code = code_of(protocol::error_code::invalid_group_id);
    return c.answer(refused);
  }
  node.coordinator.leave_classic(std::make_shared<const request>(std::move(asked)), c.version(),
                                 [c](const protocol::leave_group_response& answer) { c.answer(answer); });
}

}  // namespace weir::server::handlers
