#include "gateway/group_requests.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "gateway/offset_forwarding.hpp"
#include "gateway/other_groups.hpp"
#include "group/heartbeat/heartbeat.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"

namespace weir::gateway {
namespace {

using protocol::api;
using protocol::error_code;

actors::heartbeat_call call_of(const server::request_in& request, protocol::streams_group_heartbeat_request message) {
  actors::heartbeat_call call;
  call.frame = request.frame;
  call.request = std::move(message);
  call.context.version = request.header.request_api_version;
  if (request.header.client_id) call.context.client_id = *request.header.client_id;
  call.context.client_host = text::view(request.connection->info().client_host);  // the sink keeps it alive
  call.correlation_id = request.header.correlation_id;
  call.sink = request.connection;
  call.slot = request.slot;
  return call;
}

/// Before the first image every topic would look missing, so a heartbeat has to wait for it.
result<void> streams_group_heartbeat(const std::shared_ptr<client_session>& session,
                                     const server::request_in& request) {
  auto message =
      protocol::decode<protocol::streams_group_heartbeat_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  auto& state = session->state();
  if (!state.published) {
    answer(request, group::refused(error_code::coordinator_load_in_progress, "the upstream cluster is not known yet"));
    return {};
  }
  const bool joining = message->member_epoch == 0;
  if (!joining && session->permitted(message->group_id)) {
    state.coordinator.heartbeat(call_of(request, *std::move(message)));
    return {};
  }
  const text group_id = message->group_id;
  session->permit(request, group_id, joining, [session, request, message = *std::move(message)](error_code verdict) {
    if (verdict != error_code::none) {
      return answer(request, group::refused(verdict, "refused by the upstream cluster, or the group is in use there"));
    }
    session->state().coordinator.heartbeat(call_of(request, message));
  });
  return {};
}

/// Gathers the descriptions, which come one by one from any thread, in the order asked for.
struct describe_call {
  server::request_in request;
  protocol::streams_group_describe_response response;
  std::atomic<std::size_t> open{0};
};

result<void> streams_group_describe(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const auto message =
      protocol::decode<protocol::streams_group_describe_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  const auto call = std::make_shared<describe_call>();
  call->request = request;
  call->response.groups.resize(message->group_ids.size());
  call->open = message->group_ids.size();
  if (message->group_ids.empty()) answer(request, call->response);
  for (std::size_t i = 0; i < message->group_ids.size(); ++i) {
    session->state().coordinator.describe(message->group_ids[i].str(), [call, i](auto described) {
      call->response.groups[i] = std::move(described);
      if (--call->open == 0) answer(call->request, call->response);
    });
  }
  return {};
}

}  // namespace

result<void> handle_group_request(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  switch (static_cast<api>(request.header.request_api_key)) {
    case api::streams_group_heartbeat: return streams_group_heartbeat(session, request);
    case api::streams_group_describe: return streams_group_describe(session, request);
    case api::offset_commit: return forward_offset_commit(session, request);
    case api::txn_offset_commit: return forward_txn_offset_commit(session, request);
    case api::offset_fetch: return forward_offset_fetch(session, request);
    case api::list_groups: return merge_list_groups(session, request);
    case api::delete_groups: return split_delete_groups(session, request);
    default: return refuse_other_protocols(session, request);
  }
}

}  // namespace weir::gateway
