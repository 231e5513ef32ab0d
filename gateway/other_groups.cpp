#include "gateway/other_groups.hpp"

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

/// For a streams group of ours `refuse` fills the answer; any other request goes upstream as it is.
template <class Request, class Response, class Refuse>
result<void> refuse_ours(const std::shared_ptr<client_session>& session, const server::request_in& request,
                         Refuse refuse) {
  const auto message = protocol::decode<Request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  if (!session->state().coordinator.has_streams_group(message->group_id)) {
    session->relay(request);
    return {};
  }
  Response response;
  refuse(*message, response);
  answer(request, response);
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

result<void> offset_delete(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const auto message =
      protocol::decode<protocol::offset_delete_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  if (!session->state().coordinator.has_streams_group(message->group_id)) {
    session->relay(request);
    return {};
  }
  session->state().coordinator.view(message->group_id.str(), [session, request, message = *message](auto view) {
    session->post(
        [session, request, message, known = view != nullptr, live = view != nullptr && !view->group.members.empty()] {
          if (known && !live) return session->relay(request);
          protocol::offset_delete_response response;
          if (!known) {  // a group that does not tell what it is right now may be live
            response.error_code = code_of(error_code::coordinator_not_available);
            return answer(request, response);
          }
          refuse_offset_delete(message, response);
          answer(request, response);
        });
  });
  return {};
}

/// Describe requests name many groups: ours are described as unknown to this API, the others by the upstream.
template <class Request, class Response, class Describe>
result<void> split_describe(const std::shared_ptr<client_session>& session, const server::request_in& request,
                            std::vector<text> Request::*ids, Describe describe_ours) {
  auto message = protocol::decode<Request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  Response ours;
  std::vector<text> others;
  for (const text& id : (*message).*ids) {
    if (session->state().coordinator.has_streams_group(id)) {
      describe_ours(id, ours.groups.emplace_back());
    } else {
      others.push_back(id);
    }
  }
  if (ours.groups.empty()) {
    session->relay(request);
    return {};
  }
  if (others.empty()) {
    answer(request, ours);
    return {};
  }
  (*message).*ids = std::move(others);
  const std::int16_t version = request.header.request_api_version;
  session->ask(request, *message, version, [request, version, ours = std::move(ours)](const result<bytes>& frame) {
    if (!frame) return request.connection->close(frame.error().message);
    auto described = open_answer<Response>(*frame, version);
    if (!described) return request.connection->close("the upstream's answer: " + described.error().message);
    described->groups.insert(described->groups.end(), ours.groups.begin(), ours.groups.end());
    answer(request, *described);
  });
  return {};
}

result<void> describe_groups(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const bool not_found = request.header.request_api_version >= describe_not_found_from;
  return split_describe<protocol::describe_groups_request, protocol::describe_groups_response>(
      session, request, &protocol::describe_groups_request::groups, [not_found](const text& id, auto& described) {
        described.group_id = id;
        described.group_state = "Dead";
        if (!not_found) return;
        described.error_code = code_of(error_code::group_id_not_found);
        described.error_message = text("the group is a streams group");
      });
}

result<void> consumer_group_describe(const std::shared_ptr<client_session>& session,
                                     const server::request_in& request) {
  return split_describe<protocol::consumer_group_describe_request, protocol::consumer_group_describe_response>(
      session, request, &protocol::consumer_group_describe_request::group_ids, [](const text& id, auto& described) {
        described.group_id = id;
        described.error_code = code_of(error_code::group_id_not_found);
        described.error_message = text("the group is a streams group");
      });
}

}  // namespace

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
