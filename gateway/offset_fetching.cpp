// OffsetFetch of streams groups (spec 05, 8.5): the member is checked here, the upstream is asked as anybody. Version 8
// and above ask for several groups at once: each of ours becomes one request of version 7, the others go out together.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "gateway/offset_forwarding.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/offset_fetch_response.hpp"
#include "server/handler.hpp"
#include "server/handlers/mentions.hpp"

namespace weir::gateway {
namespace {

using protocol::code_of;
using protocol::error_code;
using protocol::offset_fetch_request;
using protocol::offset_fetch_response;

constexpr std::int16_t whole_error_from = 2;
constexpr std::int16_t batch_from = 8;
constexpr std::int16_t single_version = 7;  // the last version for one group; known to every upstream we serve

/// One request on its way; session's thread only. Answers when no part is open any more.
struct fetch_call {
  std::shared_ptr<client_session> session;
  server::request_in request;
  offset_fetch_request message;
  offset_fetch_response response;
  std::size_t open_parts = 0;
  std::vector<bytes> kept;  ///< frames of the upstream that texts of the response look into
};
using fetch_ptr = std::shared_ptr<fetch_call>;

bool is_batch(const fetch_call& call) { return call.request.header.request_api_version >= batch_from; }

void part_done(const fetch_ptr& call) {
  if (--call->open_parts == 0) answer(call->request, call->response);
}

/// Before version 2 an answer has no place for an error but its partitions (spec 05, 4.3).
void refuse_single(fetch_call& call, error_code code) {
  call.response.error_code = code_of(code);
  if (call.request.header.request_api_version >= whole_error_from || !call.message.topics) return;
  for (const auto& topic : *call.message.topics) {
    auto& refused = call.response.topics.emplace_back();
    refused.name = topic.name;
    for (const auto partition : topic.partition_indexes) {
      auto& entry = refused.partitions.emplace_back();
      entry.partition_index = partition;
      entry.committed_offset = -1;
      entry.error_code = code_of(code);
    }
  }
}

void refuse_group(const fetch_ptr& call, const text& group_id, error_code code) {
  if (is_batch(*call)) {
    auto& group = call->response.groups.emplace_back();
    group.group_id = group_id;
    group.error_code = code_of(code);
  } else {
    refuse_single(*call, code);
  }
  part_done(call);
}

/// A single-group answer in the shape of one group of a batch.
offset_fetch_response::offset_fetch_response_group_data as_group(const text& group_id,
                                                                 const offset_fetch_response& single) {
  offset_fetch_response::offset_fetch_response_group_data group;
  group.group_id = group_id;
  group.error_code = single.error_code;
  for (const auto& topic : single.topics) {
    auto& copy = group.topics.emplace_back();
    copy.name = topic.name;
    for (const auto& partition : topic.partitions) {
      copy.partitions.push_back({partition.partition_index,
                                 partition.committed_offset,
                                 partition.committed_leader_epoch,
                                 partition.metadata,
                                 partition.error_code,
                                 {}});
    }
  }
  return group;
}

/// Keeps what the response's texts look into, and the longest wait that the upstream asks the client for.
void keep(fetch_call& call, upstream_answer<offset_fetch_response>& told) {
  call.kept.push_back(std::move(told.frame));
  call.response.throttle_time_ms = std::max(call.response.throttle_time_ms, told.message.throttle_time_ms);
}

void take_fetched(const fetch_ptr& call, const text& group_id, upstream_answer<offset_fetch_response> told) {
  keep(*call, told);
  if (is_batch(*call)) {
    call->response.groups.push_back(as_group(group_id, told.message));
  } else if (told.message.error_code != 0) {
    refuse_single(*call, static_cast<error_code>(told.message.error_code));
  } else {
    call->response.topics = std::move(told.message.topics);
  }
  part_done(call);
}

offset_fetch_request single_request(const offset_fetch_request::offset_fetch_request_group_data& group, bool stable) {
  offset_fetch_request single;
  single.group_id = group.group_id;
  single.require_stable = stable;
  single.topics = std::nullopt;
  if (!group.topics) return single;
  single.topics.emplace();
  for (const auto& topic : *group.topics) single.topics->push_back({topic.name, topic.partition_indexes, {}});
  return single;
}

using asked_group = offset_fetch_request::offset_fetch_request_group_data;

void fetch_upstream(const fetch_ptr& call, const asked_group& group) {
  call->session->ask_for<offset_fetch_response>(
      call->request, single_request(group, call->message.require_stable), single_version,
      [call, group](auto told) { take_fetched(call, group.group_id, std::move(told)); });
}

/// Of one group of ours: permission, member, then no sooner than its commits are settled.
void fetch_ours(const fetch_ptr& call, const asked_group& group) {
  ++call->open_parts;
  call->session->permit(call->request, group.group_id, operation::describe, [call, group](error_code permission) {
    if (permission != error_code::none) return refuse_group(call, group.group_id, permission);
    actors::fetch_request check{group.group_id.str(), std::nullopt, group.member_epoch};
    if (group.member_id) check.member_id = group.member_id->str();
    auto& state = call->session->state();
    state.coordinator.check_fetch(std::move(check), [call, group, &state](error_code verdict) {
      call->session->post([call, group, verdict, &state] {
        if (verdict != error_code::none) return refuse_group(call, group.group_id, verdict);
        state.order.when_settled(
            group.group_id, [call, group] { call->session->post([call, group] { fetch_upstream(call, group); }); });
      });
    });
  });
}

/// Groups of others in a batch, in one request, as the client sent them.
void fetch_others(const fetch_ptr& call, std::vector<asked_group> groups) {
  if (groups.empty()) return;
  ++call->open_parts;
  auto others = call->message;
  others.groups = std::move(groups);
  const std::int16_t version = call->request.header.request_api_version;
  call->session->ask_for<offset_fetch_response>(call->request, others, version, [call](auto told) {
    keep(*call, told);
    std::ranges::move(told.message.groups, std::back_inserter(call->response.groups));
    part_done(call);
  });
}

/// Every asked group in the shape of a batch, also of a version that asks for one.
std::vector<asked_group> groups_of(const fetch_call& call) {
  if (is_batch(call)) return call.message.groups;
  asked_group group;
  group.group_id = call.message.group_id;
  group.topics = std::nullopt;
  if (call.message.topics) {
    group.topics.emplace();
    for (const auto& topic : *call.message.topics)
      group.topics->push_back({topic.name, {}, topic.partition_indexes, {}});
  }
  return {group};
}

}  // namespace

result<void> forward_offset_fetch(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const std::int16_t version = request.header.request_api_version;
  auto message = protocol::decode<offset_fetch_request>(request.body, version);
  if (!message) return fail(message.error().message);
  if (auto few = server::check_names(message->name, message->groups.size()); !few) return few;
  const auto call = std::make_shared<fetch_call>();
  call->session = session;
  call->request = request;
  call->message = *std::move(message);
  std::vector<asked_group> ours;
  std::vector<asked_group> others;
  for (auto& group : groups_of(*call)) {
    (session->state().coordinator.has_streams_group(group.group_id) ? ours : others).push_back(std::move(group));
  }
  const bool upstream_knows = version <= session->version_of<offset_fetch_request>();
  if (ours.empty() && upstream_knows) {
    session->relay(request);
    return {};
  }
  if (!upstream_knows) {  // an upstream without batches: one request a group
    ours.insert(ours.end(), others.begin(), others.end());
    others.clear();
  }
  ++call->open_parts;  // until all parts are under way
  server::handlers::mentions named;
  for (const auto& group : ours) {
    if (named.admit(group.group_id.view())) {
      fetch_ours(call, group);
    } else {
      ++call->open_parts;
      refuse_group(call, group.group_id, error_code::invalid_request);
    }
  }
  fetch_others(call, std::move(others));
  part_done(call);
  return {};
}

}  // namespace weir::gateway
