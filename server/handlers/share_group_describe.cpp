// ShareGroupDescribe (77): spec 05, 4.7.
#include "protocol/messages/share_group_describe_request.hpp"
#include "protocol/messages/share_group_describe_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/other_protocols.hpp"

namespace weir::server::handlers {

void share_group_describe::handle(request asked, call c, embedded_node& node) {
  using part = protocol::share_group_describe_response::described_group_data;
  protocol::share_group_describe_response out;
  for (const auto& id : asked.group_ids) out.groups.push_back(refuse_foreign_description<part>(id, "share", node));
  c.answer(out);
}

}  // namespace weir::server::handlers
