// Groups of the consumer and share protocols, which Weir does not have: what their heartbeats and descriptions are told
// (spec 05, 4.7). An id that holds a group of another kind is no such group; where there is nothing, nothing is made.
#pragma once

#include <string>
#include <string_view>

#include "protocol/error_codes.hpp"
#include "server/handler.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {

/// `protocol` is "consumer" or "share", here and below.
template <class Request>
[[nodiscard]] protocol::kafka_error refuse_foreign_heartbeat(const Request& asked, std::string_view protocol,
                                                             const embedded_node& node) {
  using protocol::error_code;
  const std::string id = asked.group_id.str();
  if (id.empty()) return {error_code::invalid_request, "GroupId can't be empty."};
  if (asked.member_id.empty()) return {error_code::invalid_request, "MemberId can't be empty."};
  const auto kind = node.coordinator.kind_of(id);
  if (kind == group::group_kind::streams) {
    return {error_code::group_id_not_found, "Group " + id + " is not a " + std::string(protocol) + " group."};
  }
  if (asked.member_epoch == 0) {
    return {error_code::unsupported_version, "The " + std::string(protocol) + " protocol is not served here."};
  }
  return {error_code::group_id_not_found, "Group " + id + " not found."};
}

template <class Part>
[[nodiscard]] Part refuse_foreign_description(const text& id, std::string_view protocol, const embedded_node& node) {
  Part out;
  out.group_id = id;
  if (id.empty()) {
    out.error_code = code_of(protocol::error_code::invalid_group_id);
    return out;
  }
  out.error_code = code_of(protocol::error_code::group_id_not_found);
  const bool exists = node.coordinator.kind_of(id) != group::group_kind::none;
  out.error_message = text("Group " + id.str() +
                           (exists ? " is not a " + std::string(protocol) + " group." : std::string(" not found.")));
  return out;
}

/// ConsumerGroupHeartbeat and its like.
template <class Response, class Request>
void answer_foreign_heartbeat(const Request& asked, const call& c, std::string_view protocol,
                              const embedded_node& node) {
  Response out;
  tell(out, refuse_foreign_heartbeat(asked, protocol, node));
  c.answer(out);
}

/// ConsumerGroupDescribe and its like.
template <class Response, class Request>
void answer_foreign_descriptions(const Request& asked, const call& c, std::string_view protocol,
                                 const embedded_node& node) {
  Response out;
  for (const auto& id : asked.group_ids) {
    out.groups.push_back(refuse_foreign_description<typename Response::described_group_data>(id, protocol, node));
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
