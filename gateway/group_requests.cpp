#include "gateway/group_requests.hpp"

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "actors/pattern_turns.hpp"
#include "gateway/group_description.hpp"
#include "gateway/offset_forwarding.hpp"
#include "gateway/other_groups.hpp"
#include "gateway/upstream_checks.hpp"
#include "group/heartbeat/heartbeat.hpp"
#include "group/heartbeat/read_request.hpp"
#include "group/topology/patterns.hpp"
#include "group/topology/validate.hpp"
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

/// A heartbeat that the upstream is asked about first.
struct asking_heartbeat {
  std::shared_ptr<client_session> session;
  server::request_in request;
  protocol::streams_group_heartbeat_request message;
};
using asking_ptr = std::shared_ptr<asking_heartbeat>;

void beat(const asking_ptr& call) {
  call->session->state().coordinator.heartbeat(call_of(call->request, call->message));
}

/// Refusals of rights carry no text (spec 01, 1.6).
void refuse(const server::request_in& request, error_code code, std::string_view why) {
  auto refusal = group::refused(code, why);
  if (code == error_code::group_authorization_failed || code == error_code::topic_authorization_failed) {
    refusal.error_message.reset();
  }
  answer(request, refusal);
}

/// The first member of a group takes the id; a request that is refused anyway does not.
void check_id(const asking_ptr& call) {
  auto& coordinator = call->session->state().coordinator;
  const bool creates = call->message.member_epoch == 0 && !coordinator.has_streams_group(call->message.group_id);
  if (!creates || group::check_request(call->message, coordinator.options().strict_kafka)) return beat(call);
  check_id_is_free(call->session, call->request, call->message.group_id, [call](error_code verdict) {
    if (verdict == error_code::none) return beat(call);
    refuse(call->request, verdict, "the id is in use in the upstream cluster, or that cluster does not say");
  });
}

/// Without patterns.
void check_rights(const asking_ptr& call, const group::topology& topology) {
  find_forbidden_topics(
      call->session, call->request, group::all_topics(topology), [call](const result<std::set<std::string>>& topics) {
        if (topics && topics->empty()) return check_id(call);
        refuse(call->request, topics ? error_code::topic_authorization_failed : error_code::coordinator_not_available,
               "the upstream cluster does not tell about the topics");
      });
}

/// One turn after the other, between which other requests are served.
void match_patterns(const asking_ptr& call, const std::shared_ptr<const group::topology>& topology,
                    const group::pattern_matches_ptr& before) {
  constexpr std::chrono::milliseconds pause{20};
  auto& state = call->session->state();
  auto so_far = before;
  {
    actors::pattern_turn turn(state.patterns, state.time.now_ms());
    if (auto* const meter = turn.meter_for(before == nullptr)) {
      const bool is_new = !state.coordinator.has_streams_group(call->message.group_id);
      const auto matches = group::match_patterns(*topology, *state.coordinator.image(), before.get(), is_new,
                                                 *meter);
      if (!matches) return beat(call);
      so_far = *matches;
      if (so_far->unseen == 0) return check_rights(call, group::resolve(*topology, so_far.get()).plain);
    }
  }
  call->session->post_in(pause, [call, topology, so_far] { match_patterns(call, topology, so_far); });
}

/// F5 of spec 01; F3 and F4, which come first, are the coordinator's. Topics that patterns match now are asked about,
/// too; those that appear later are not.
void check_topics(const asking_ptr& call) {
  if (!call->message.topology) return check_id(call);
  const auto topology = std::make_shared<const group::topology>(group::topology_in(*call->message.topology));
  if (group::check_internal_topics(*topology) || group::check_topic_names(*topology)) return beat(call);
  if (!group::reads_patterns(*topology)) return check_rights(call, *topology);
  match_patterns(call, topology, nullptr);
}

/// Before the first image every topic would look missing, so a heartbeat has to wait for it.
result<void> streams_group_heartbeat(const std::shared_ptr<client_session>& session,
                                     const server::request_in& request) {
  auto message =
      protocol::decode<protocol::streams_group_heartbeat_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  auto& state = session->state();
  if (!state.published) {
    refuse(request, error_code::coordinator_load_in_progress, "the upstream cluster is not known yet");
    return {};
  }
  const bool plain = message->member_epoch != 0 && !message->topology;
  if (plain && session->permitted(request, message->group_id, operation::read)) {
    state.coordinator.heartbeat(call_of(request, *std::move(message)));
    return {};
  }
  const auto call = std::make_shared<asking_heartbeat>(asking_heartbeat{session, request, *std::move(message)});
  session->permit(request, call->message.group_id, operation::read, [call](error_code verdict) {
    if (verdict == error_code::none) return check_topics(call);
    refuse(call->request, verdict, "the upstream cluster does not tell about the group");
  });
  return {};
}

}  // namespace

result<void> handle_group_request(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  switch (static_cast<api>(request.header.request_api_key)) {
    case api::streams_group_heartbeat: return streams_group_heartbeat(session, request);
    case api::streams_group_describe: return describe_streams_groups(session, request);
    case api::offset_commit: return forward_offset_commit(session, request);
    case api::txn_offset_commit: return forward_txn_offset_commit(session, request);
    case api::offset_fetch: return forward_offset_fetch(session, request);
    case api::list_groups: return merge_list_groups(session, request);
    case api::delete_groups: return split_delete_groups(session, request);
    default: return refuse_other_protocols(session, request);
  }
}

}  // namespace weir::gateway
