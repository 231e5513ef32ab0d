// ShareGroupHeartbeat (76): spec 05, 4.7. Weir has no share groups: an id that holds a group of another kind is no such
// group; where there is nothing, nothing is made.
#include <string>

#include "protocol/error_codes.hpp"
#include "protocol/messages/share_group_heartbeat_request.hpp"
#include "protocol/messages/share_group_heartbeat_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {
namespace {

protocol::kafka_error why_no_share_group(const protocol::share_group_heartbeat_request& asked,
                                         const embedded_node& node) {
  using protocol::error_code;
  const std::string id = asked.group_id.str();
  if (id.empty()) return {error_code::invalid_request, "GroupId can't be empty."};
  if (asked.member_id.empty()) return {error_code::invalid_request, "MemberId can't be empty."};
  const auto kind = node.coordinator.kind_of(id);
  if (kind == group::group_kind::streams || kind == group::group_kind::consumer) {
    return {error_code::group_id_not_found, "Group " + id + " is not a share group."};
  }
  if (asked.member_epoch == 0) return {error_code::unsupported_version, "The share protocol is not served here."};
  return {error_code::group_id_not_found, "Group " + id + " not found."};
}

}  // namespace

void share_group_heartbeat::handle(request asked, call c, embedded_node& node) {
  protocol::share_group_heartbeat_response out;
  tell(out, why_no_share_group(asked, node));
  c.answer(out);
}

}  // namespace weir::server::handlers
