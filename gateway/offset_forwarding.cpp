#include "gateway/offset_forwarding.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/offset_commit_request.hpp"
#include "protocol/messages/offset_commit_response.hpp"
#include "protocol/messages/txn_offset_commit_request.hpp"
#include "protocol/messages/txn_offset_commit_response.hpp"

namespace weir::gateway {
namespace {

using protocol::code_of;
using protocol::error_code;

/// One commit on its way: the request stays with its frame, into which its texts look.
template <class Request>
struct commit_call {
  std::shared_ptr<client_session> session;
  server::request_in request;
  Request message;
};
template <class Request>
using commit_ptr = std::shared_ptr<commit_call<Request>>;

/// The error of the whole request, on every partition.
template <class Response, class Request>
Response refusal_of(const Request& request, error_code code) {
  Response response;
  for (const auto& topic : request.topics) {
    auto& refused = response.topics.emplace_back();
    refused.name = topic.name;
    refused.topic_id = topic.topic_id;
    for (const auto& partition : topic.partitions) {
      auto& entry = refused.partitions.emplace_back();
      entry.partition_index = partition.partition_index;
      entry.error_code = code_of(code);
    }
  }
  return response;
}

template <class Request>
actors::commit_request check_of(const Request& message, std::int16_t version, bool transactional) {
  actors::commit_request check;
  check.group_id = message.group_id.str();
  check.version = version;
  check.transactional = transactional;
  check.member_id = message.member_id.str();
  if (message.group_instance_id) check.instance_id = message.group_instance_id->str();
  check.member_epoch = message.generation_id_or_member_epoch;
  for (const auto& topic : message.topics) {
    for (const auto& partition : topic.partitions) {
      check.entries.push_back({topic.name.str(), partition.partition_index, {}});
    }
  }
  return check;
}

/// The upstream does not know our members: 22 or 25 from it mean that its group is not the simple group we think. 16
/// makes the client look its coordinator up and try again.
error_code translated(error_code upstream, std::string_view group_id) {
  if (upstream != error_code::illegal_generation && upstream != error_code::unknown_member_id) return upstream;
  log::warn("somebody else uses the group upstream", {{"group", group_id}, {"error", name(upstream)}});
  return error_code::not_coordinator;
}

template <class Response, class Request>
void take_committed(const commit_ptr<Request>& call, upstream_answer<Response> committed) {
  for (auto& topic : committed.message.topics) {
    for (auto& partition : topic.partitions) {
      partition.error_code = code_of(translated(static_cast<error_code>(partition.error_code), call->message.group_id));
    }
  }
  answer(call->request, committed.message);
}

/// Sends the checked commit as one of a simple group: no generation, no member.
template <class Response, class Request>
void commit_upstream(const commit_ptr<Request>& call, const std::shared_ptr<open_commit>& open) {
  Request simple = call->message;
  simple.generation_id_or_member_epoch = -1;
  simple.member_id = text();
  simple.group_instance_id = std::nullopt;
  const auto version = call->session->template version_of<Request>(call->request.header.request_api_version);
  call->session->template ask_for<Response>(call->request, simple, version, [call, open](auto committed) {
    open->settle();
    take_committed(call, std::move(committed));
  });
}

/// A commit may also be the first thing that a connection does with the group: permission first, then the member.
template <class Response, class Request>
void check_and_commit(const commit_ptr<Request>& call, bool transactional) {
  const text group_id = call->message.group_id;
  call->session->permit(call->request, group_id, operation::read, [call, transactional](error_code permission) {
    if (permission != error_code::none) return answer(call->request, refusal_of<Response>(call->message, permission));
    const std::int16_t version = call->request.header.request_api_version;
    call->session->state().coordinator.check_commit(
        check_of(call->message, version, transactional), [call](error_code verdict) {
          auto& state = call->session->state();
          const auto open = verdict == error_code::none
                                ? std::make_shared<open_commit>(state.order, state.time, call->message.group_id.str())
                                : nullptr;
          call->session->post([call, verdict, open] {
            if (!open) return answer(call->request, refusal_of<Response>(call->message, verdict));
            commit_upstream<Response>(call, open);
          });
        });
  });
}

/// Not ours: the client's own request, in a version the upstream knows.
template <class Response, class Request>
void relay_commit(const commit_ptr<Request>& call) {
  const auto known = call->session->template version_of<Request>();
  if (call->request.header.request_api_version <= known) return call->session->relay(call->request);
  call->session->template ask_for<Response>(
      call->request, call->message, known, [call](const auto& committed) { answer(call->request, committed.message); });
}

template <class Request, class Response>
result<void> forward_commit(const std::shared_ptr<client_session>& session, const server::request_in& request,
                            bool transactional) {
  auto message = protocol::decode<Request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  const auto call = std::make_shared<commit_call<Request>>(commit_call<Request>{session, request, *std::move(message)});
  if (session->state().coordinator.has_streams_group(call->message.group_id)) {
    check_and_commit<Response>(call, transactional);
  } else {
    relay_commit<Response>(call);
  }
  return {};
}

}  // namespace

result<void> forward_offset_commit(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  return forward_commit<protocol::offset_commit_request, protocol::offset_commit_response>(session, request, false);
}

result<void> forward_txn_offset_commit(const std::shared_ptr<client_session>& session,
                                       const server::request_in& request) {
  return forward_commit<protocol::txn_offset_commit_request, protocol::txn_offset_commit_response>(session, request,
                                                                                                   true);
}

}  // namespace weir::gateway
