// Heartbeat (12) of a classic member: spec 05, 4.7.
#include <memory>
#include <utility>

#include "protocol/messages/heartbeat_request.hpp"
#include "protocol/messages/heartbeat_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void heartbeat::handle(request asked, call c, embedded_node& node) {
  using protocol::error_code;
  const auto finish = [c](error_code code) {
    protocol::heartbeat_response out;
    // Members go on while a coordinator loads (spec 04, 9.2).
    out.error_code = code == error_code::coordinator_load_in_progress ? 0 : code_of(code);
    c.answer(out);
  };
  if (asked.group_id.empty()) return finish(error_code::invalid_group_id);
  node.coordinator.beat_classic(std::make_shared<const request>(std::move(asked)), finish);
}

}  // namespace weir::server::handlers
