// ApiVersions (18): spec 05, 3.1.
#include "protocol/messages/api_versions_request.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void api_versions::handle(request asked, call c, embedded_node& node) {
  c.answer(protocol::describe_offer(node.offer, asked, c.version()));
}

}  // namespace weir::server::handlers
