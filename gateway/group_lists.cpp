// ListGroups and DeleteGroups of a cluster whose groups live in two places (spec 05, 8.7).
#include <algorithm>
#include <cctype>
#include <utility>

#include "gateway/other_groups.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/delete_groups_request.hpp"
#include "protocol/messages/delete_groups_response.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/list_groups_response.hpp"

namespace weir::gateway {
namespace {

using protocol::code_of;
using protocol::error_code;

constexpr std::int16_t types_from = 5;
constexpr std::int16_t states_from = 4;

/// Lower case without blanks and underscores: filters say "NotReady", "not_ready" and " notready " (spec 05, P2).
std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '_' || std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    out.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return out;
}

bool passes(const std::vector<text>& filter, std::string_view value) {
  return filter.empty() ||
         std::ranges::any_of(filter, [&](const text& wanted) { return folded(wanted) == folded(value); });
}

struct list_call {
  std::shared_ptr<client_session> session;
  server::request_in request;
  protocol::list_groups_request message;
  protocol::list_groups_response response;
  bytes frame;  // texts of the response look into it
};
using list_ptr = std::shared_ptr<list_call>;

void add_ours(const list_ptr& call, const std::vector<group::group_summary>& groups) {
  for (const auto& summary : groups) {
    if (summary.kind != group::group_kind::streams) continue;
    const auto state = group::name(summary.state);
    if (!passes(call->message.states_filter, state) || !passes(call->message.types_filter, "streams")) continue;
    call->response.groups.push_back({text(summary.id), "streams", text(state), "streams", {}});
  }
  answer(call->request, call->response);
}

/// Entries of an old upstream have no type; without one they are classic.
void take_listed(const list_ptr& call, std::int16_t version, result<bytes> frame) {
  if (!frame) return call->request.connection->close(frame.error().message);
  call->frame = *std::move(frame);
  auto listed = open_answer<protocol::list_groups_response>(call->frame, version);
  if (!listed) return call->request.connection->close("the upstream's answer: " + listed.error().message);
  call->response = *std::move(listed);
  if (call->response.error_code != 0) return answer(call->request, call->response);
  auto& coordinator = call->session->state().coordinator;
  std::erase_if(call->response.groups, [&](auto& group) {
    if (group.group_type.empty()) group.group_type = "classic";
    return coordinator.has_streams_group(group.group_id) || !passes(call->message.types_filter, group.group_type) ||
           (version < states_from && !passes(call->message.states_filter, group.group_state));
  });
  coordinator.list([call](std::vector<group::group_summary> groups) {
    call->session->post([call, groups = std::move(groups)] { add_ours(call, groups); });
  });
}

struct delete_call {
  std::shared_ptr<client_session> session;
  server::request_in request;
  protocol::delete_groups_response response;
  std::size_t open = 0;
};
using delete_ptr = std::shared_ptr<delete_call>;

void finish_one(const delete_ptr& call, const text& group_id, error_code code) {
  call->response.results.push_back({group_id, code_of(code), std::nullopt, {}});
  if (--call->open == 0) answer(call->request, call->response);
}

/// `results` of the upstream name one group.
void delete_upstream(const delete_ptr& call, const text& group_id, bool ours) {
  protocol::delete_groups_request request;
  request.groups_names.push_back(group_id);
  const std::int16_t version =
      std::min(call->request.header.request_api_version, call->session->state().cluster.max_version(request.api_key));
  call->session->ask(call->request, request, version, [call, group_id, ours, version](const result<bytes>& frame) {
    if (!frame) return call->request.connection->close(frame.error().message);
    const auto deleted = open_answer<protocol::delete_groups_response>(*frame, version);
    if (!deleted || deleted->results.empty())
      return call->request.connection->close("the upstream's DeleteGroups answer");
    const auto code = static_cast<error_code>(deleted->results.front().error_code);
    const bool gone = code == error_code::none || code == error_code::group_id_not_found;
    if (!ours || !gone) return finish_one(call, group_id, code);
    call->session->state().coordinator.delete_group(group_id.str(), [call, group_id](error_code here) {
      call->session->post([call, group_id, here] { finish_one(call, group_id, here); });
    });
  });
}

/// The group must be empty here before its offsets may go upstream.
void delete_ours(const delete_ptr& call, const text& group_id) {
  call->session->state().coordinator.view(group_id.str(), [call, group_id](auto view) {
    call->session->post([call, group_id, known = view != nullptr, live = view && !view->group.members.empty()] {
      // A group that does not tell what it is right now may be live.
      if (!known) return finish_one(call, group_id, error_code::coordinator_not_available);
      if (live) return finish_one(call, group_id, error_code::non_empty_group);
      delete_upstream(call, group_id, true);
    });
  });
}

}  // namespace

result<void> merge_list_groups(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  auto message = protocol::decode<protocol::list_groups_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  const auto call = std::make_shared<list_call>(list_call{session, request, *std::move(message), {}, {}});
  const std::int16_t version =
      std::min(request.header.request_api_version, session->state().cluster.max_version(call->message.api_key));
  protocol::list_groups_request question;
  if (version >= states_from) question.states_filter = call->message.states_filter;
  if (version >= types_from) question.types_filter = call->message.types_filter;
  session->ask(request, question, version,
               [call, version](result<bytes> frame) { take_listed(call, version, std::move(frame)); });
  return {};
}

result<void> split_delete_groups(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const auto message =
      protocol::decode<protocol::delete_groups_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  const auto call = std::make_shared<delete_call>(delete_call{session, request, {}, message->groups_names.size()});
  if (message->groups_names.empty()) answer(request, call->response);
  for (const text& id : message->groups_names) {
    session->state().coordinator.has_streams_group(id) ? delete_ours(call, id) : delete_upstream(call, id, false);
  }
  return {};
}

}  // namespace weir::gateway
