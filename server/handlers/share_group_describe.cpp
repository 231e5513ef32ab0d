// ShareGroupDescribe (77): spec 05, 4.7. Weir has no share groups.
#include "protocol/error_codes.hpp"
#include "protocol/messages/share_group_describe_request.hpp"
#include "protocol/messages/share_group_describe_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void share_group_describe::handle(request asked, call c, embedded_node& node) {
  using protocol::error_code;
  protocol::share_group_describe_response out;
  for (const auto& id : asked.group_ids) {
    auto& part = out.groups.emplace_back();
    part.group_id = id;
    part.error_code = code_of(id.empty() ? error_code::invalid_group_id : error_code::group_id_not_found);
    if (id.empty()) continue;
    const bool exists = node.coordinator.kind_of(id) != group::group_kind::none;
    part.error_message = text("Group " + id.str() + (exists ? " is not a share group." : " not found."));
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
