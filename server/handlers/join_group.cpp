// JoinGroup (11): spec 05, 4.7 and spec 04, 12.
#include <memory>
#include <utility>

#include "base/limits.hpp"
#include "base/uuid.hpp"
#include "group/classic/rebalance.hpp"
#include "protocol/messages/join_group_request.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void join_group::handle(request asked, call c, embedded_node& node) {
  if (asked.group_id.empty()) {
    return c.answer(group::refuse_join(protocol::error_code::invalid_group_id, asked.member_id));
  }
  group::classic_context context;
  context.version = c.version();
  context.client_id = c.in.header.client_id.value_or(text()).str();
  context.client_host = c.in.connection->info().client_host;
  context.members_max = limits::classic_members_max;
  const auto& stem = asked.group_instance_id ? asked.group_instance_id->str() : context.client_id;
  context.new_member_id = stem + "-" + uuid::random(node.random).to_string();
  node.coordinator.join_classic(std::make_shared<const request>(std::move(asked)), std::move(context),
                                [c](const protocol::join_group_response& answer) { c.answer(answer); });
}

}  // namespace weir::server::handlers
