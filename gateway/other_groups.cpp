#include "gateway/other_groups.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/error_codes.hpp"
#include "protocol/messages/consumer_group_describe_request.hpp"
#include "protocol/messages/consumer_group_describe_response.hpp"
#include "protocol/messages/consumer_group_heartbeat_request.hpp"
#include "protocol/messages/consumer_group_heartbeat_response.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_groups_response.hpp"
#include "protocol/messages/heartbeat_request.hpp"
#include "protocol/messages/heartbeat_response.hpp"
#include "protocol/messages/join_group_request.hpp"
#include "protocol/messages/join_group_response.hpp"
#include "protocol/messages/leave_group_request.hpp"
#include "protocol/messages/leave_group_response.hpp"
#include "protocol/messages/offset_delete_request.hpp"
#include "protocol/messages/offset_delete_response.hpp"
#include "protocol/messages/sync_group_request.hpp"
#include "protocol/messages/sync_group_response.hpp"

namespace weir::gateway {
namespace {

using protocol::api;
using protocol::code_of;
using protocol::error_code;

constexpr std::int16_t leave_members_from = 3;
constexpr std::int16_t describe_not_found_from = 6;

/// For a streams group of ours `refuse` fills the answer; any other request goes upstream as it is. A principal without
/// rights is not told what kind of group it is.
template <class Request, class Response, class Refuse>
result<void> refuse_ours(const std::shared_ptr<client_session>& session, const server::request_in& request,
                         Refuse refuse) {
  const auto message = protocol::decode<Request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  if (!session->state().coordinator.has_streams_group(message->group_id)) {
    session->relay(request);
    return {};
  }
  session->permit(request, message->group_id, operation::read,
                  [request, refuse, message = *message](error_code permission) {
                    Response response;
                    response.error_code = code_of(permission);
                    if (permission == error_code::none) refuse(message, response);
                    answer(request, response);
                  });
  return {};
}

template <class Request, class Response>
result<void> refuse_with(const std::shared_ptr<client_session>& session, const server::request_in& request,
                         error_code code) {
  return refuse_ours<Request, Response>(
      session, request, [code](const Request&, Response& response) { response.error_code = code_of(code); });
}

/// Since version 3 the answer is fine as a whole and each member of it is unknown.
void refuse_leave(const protocol::leave_group_request& request, protocol::leave_group_response& response,
                  std::int16_t version) {
  if (version < leave_members_from) {
    response.error_code = code_of(error_code::unknown_member_id);
    return;
  }
  for (const auto& member : request.members) {
    response.members.push_back(
        {member.member_id, member.group_instance_id, code_of(error_code::unknown_member_id), {}});
  }
}

/// A live application's offsets are not for deleting; those of an empty group are the upstream's matter.
void refuse_offset_delete(const protocol::offset_delete_request& request, protocol::offset_delete_response& response) {
  for (const auto& topic : request.topics) {
    auto& refused = response.topics.emplace_back();
    refused.name = topic.name;
    for (const auto& partition : topic.partitions) {
      auto& entry = refused.partitions.emplace_back();
      entry.partition_index = partition.partition_index;
      entry.error_code = code_of(error_code::group_subscribed_to_topic);
    }
  }
}

void refuse_whole(const server::request_in& request, error_code code) {
  protocol::offset_delete_response response;
  response.error_code = code_of(code);
  answer(request, response);
}

result<void> offset_delete(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const auto message =
      protocol::decode<protocol::offset_delete_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  if (!session->state().coordinator.has_streams_group(message->group_id)) {
    session->relay(request);
    return {};
  }
  session->permit(
      request, message->group_id, operation::remove, [session, request, message = *message](error_code permission) {
        if (permission != error_code::none) return refuse_whole(request, permission);
        check_is_empty(session, message.group_id, [session, request, message](error_code verdict) {
          if (verdict == error_code::none) return session->relay(request);
          if (verdict != error_code::non_empty_group) return refuse_whole(request, verdict);
          protocol::offset_delete_response response;
          refuse_offset_delete(message, response);
          answer(request, response);
        });
      });
  return {};
}

/// Describe requests name many groups. The upstream is asked about all, so that rights are its matter; then ours are
/// described as unknown to this API.
template <class Request, class Response, class Describe>
result<void> mask_ours(const std::shared_ptr<client_session>& session, const server::request_in& request,
                       std::vector<text> Request::*ids, Describe describe_ours) {
  const auto message = protocol::decode<Request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  const auto& coordinator = session->state().coordinator;
  const auto is_ours = [&coordinator](const text& id) { return coordinator.has_streams_group(id); };
  if (std::ranges::none_of((*message).*ids, is_ours)) {
    session->relay(request);
    return {};
  }
  session->ask_for<Response>(
      request, *message, request.header.request_api_version, [request, is_ours, describe_ours](auto described) {
        for (auto& group : described.message.groups) {
          if (group.error_code == code_of(error_code::group_authorization_failed) || !is_ours(group.group_id)) continue;
          typename std::decay_t<decltype(group)> masked;
          masked.group_id = group.group_id;
          masked.group_state = "Dead";
          masked.authorized_operations = group.authorized_operations;
          describe_ours(masked);
          group = std::move(masked);
        }
        answer(request, described.message);
      });
  return {};
}

/// The group is not of the kind that is described here.
template <class Described>
void not_found(Described& described) {
  described.error_code = code_of(error_code::group_id_not_found);
  described.error_message = text("the group is a streams group");
  described.authorized_operations = std::numeric_limits<std::int32_t>::min();
}

result<void> describe_groups(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const bool fails = request.header.request_api_version >= describe_not_found_from;
  return mask_ours<protocol::describe_groups_request, protocol::describe_groups_response>(
      session, request, &protocol::describe_groups_request::groups, [fails](auto& described) {
        if (fails) not_found(described);
      });
}

result<void> consumer_group_describe(const std::shared_ptr<client_session>& session,
                                     const server::request_in& request) {
  return mask_ours<protocol::consumer_group_describe_request, protocol::consumer_group_describe_response>(
      session, request, &protocol::consumer_group_describe_request::group_ids,
      [](auto& described) { not_found(described); });
}

}  // namespace

void check_is_empty(const std::shared_ptr<client_session>& session, const text& group_id,
                    client_session::permission then) {
  session->state().coordinator.health_of(group_id.str(), {}, [session, then = std::move(then)](const auto& health) {
    auto verdict = health ? error_code::none : error_code::coordinator_not_available;
    if (health && health->state != group::group_state::empty) verdict = error_code::non_empty_group;
    session->post([then, verdict] { then(verdict); });
  });
}

result<void> refuse_other_protocols(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  using namespace protocol;
  switch (static_cast<api>(request.header.request_api_key)) {
    case api::join_group:
      return refuse_with<join_group_request, join_group_response>(session, request,
                                                                  error_code::inconsistent_group_protocol);
    case api::sync_group:
      return refuse_with<sync_group_request, sync_group_response>(session, request, error_code::unknown_member_id);
    case api::heartbeat:
      return refuse_with<heartbeat_request, heartbeat_response>(session, request, error_code::unknown_member_id);
    case api::leave_group:
      return refuse_ours<leave_group_request, leave_group_response>(
          session, request, [version = request.header.request_api_version](const auto& asked, auto& response) {
            refuse_leave(asked, response, version);
          });
    case api::consumer_group_heartbeat:
      return refuse_with<consumer_group_heartbeat_request, consumer_group_heartbeat_response>(
          session, request, error_code::group_id_not_found);
    case api::describe_groups: return describe_groups(session, request);
    case api::consumer_group_describe: return consumer_group_describe(session, request);
    case api::offset_delete: return offset_delete(session, request);
    default: session->relay(request); return {};
  }
}

}  // namespace weir::gateway
