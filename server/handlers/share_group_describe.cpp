// ShareGroupDescribe (77): spec 05, 4.7.
#include "protocol/messages/share_group_describe_request.hpp"
#include "protocol/messages/share_group_describe_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/other_protocols.hpp"

namespace weir::server::handlers {

void share_group_describe::handle(request asked, call c, embedded_node& node) {
  answer_foreign_descriptions<protocol::share_group_describe_response>(asked, c, "share", node);
}

}  // namespace weir::server::handlers
