// ListGroups and DeleteGroups of a cluster whose groups live in two places (spec 05, 8.7).
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "gateway/other_groups.hpp"
#include "gateway/upstream_checks.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/delete_groups_request.hpp"
#include "protocol/messages/delete_groups_response.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/list_groups_response.hpp"
#include "server/handler.hpp"

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
  upstream_answer<protocol::list_groups_response> listed;
};
using list_ptr = std::shared_ptr<list_call>;

void add_ours(const list_ptr& call, const std::vector<group::group_summary>& groups) {
  std::set<std::string> asked_for;
  std::map<std::string, std::string_view, std::less<>> states;
  for (const auto& summary : groups) {
    if (summary.kind != group::group_kind::streams) continue;
    const auto state = summary.state_name;
    if (!passes(call->message.states_filter, state) || !passes(call->message.types_filter, "streams")) continue;
    asked_for.insert(summary.id);
    states.emplace(summary.id, state);
  }
  find_visible_groups(call->session, call->request, std::move(asked_for),
                      [call, states = std::move(states)](const result<std::set<std::string>>& visible) {
                        auto& response = call->listed.message;
                        if (!visible) response = {};
                        if (!visible) response.error_code = code_of(error_code::coordinator_not_available);
                        for (const auto& id : visible ? *visible : std::set<std::string>{}) {
                          const auto state = states.find(id);
                          if (state == states.end()) continue;
                          response.groups.push_back({text(id), "streams", text(state->second), "streams", {}});
                        }
                        answer(call->request, response);
                      });
}

/// Entries of an old upstream have no type; without one they are classic.
void take_listed(const list_ptr& call, std::int16_t version) {
  auto& response = call->listed.message;
  if (response.error_code != 0) return answer(call->request, response);
  auto& coordinator = call->session->state().coordinator;
  std::erase_if(response.groups, [&](auto& group) {
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
  protocol::delete_groups_request question;
  question.groups_names.push_back(group_id);
  const auto version =
      call->session->version_of<protocol::delete_groups_request>(call->request.header.request_api_version);
  call->session->ask_for<protocol::delete_groups_response>(
      call->request, question, version, [call, group_id, ours](const auto& told) {
        if (told.message.results.empty()) return call->request.connection->close("the upstream's DeleteGroups answer");
        call->response.throttle_time_ms = std::max(call->response.throttle_time_ms, told.message.throttle_time_ms);
        const auto code = static_cast<error_code>(told.message.results.front().error_code);
        const bool gone = code == error_code::none || code == error_code::group_id_not_found;
        if (!ours || !gone) return finish_one(call, group_id, code);
        call->session->state().coordinator.delete_group(group_id.str(), [call, group_id](error_code here) {
          call->session->post([call, group_id, here] { finish_one(call, group_id, here); });
        });
      });
}

/// The principal must be one that may, and the group empty here, before its offsets may go upstream.
void delete_ours(const delete_ptr& call, const text& group_id) {
  call->session->permit(call->request, group_id, operation::remove, [call, group_id](error_code permission) {
    if (permission != error_code::none) return finish_one(call, group_id, permission);
    check_is_empty(call->session, group_id, [call, group_id](error_code verdict) {
      if (verdict != error_code::none) return finish_one(call, group_id, verdict);
      delete_upstream(call, group_id, true);
    });
  });
}

}  // namespace

result<void> merge_list_groups(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  auto message = protocol::decode<protocol::list_groups_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  const auto call = std::make_shared<list_call>(list_call{session, request, *std::move(message), {}});
  const auto version = session->version_of<protocol::list_groups_request>(request.header.request_api_version);
  protocol::list_groups_request question;
  if (version >= states_from) question.states_filter = call->message.states_filter;
  if (version >= types_from) question.types_filter = call->message.types_filter;
  session->ask_for<protocol::list_groups_response>(request, question, version, [call, version](auto listed) {
    call->listed = std::move(listed);
    take_listed(call, version);
  });
  return {};
}

result<void> split_delete_groups(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  const auto message =
      protocol::decode<protocol::delete_groups_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  if (auto few = server::check_names(message->name, message->groups_names.size()); !few) return few;
  const auto call = std::make_shared<delete_call>(delete_call{session, request, {}, message->groups_names.size()});
  if (message->groups_names.empty()) answer(request, call->response);
  server::handlers::mentions named;
  for (const text& id : message->groups_names) {
    if (!named.admit(id.view())) {
      finish_one(call, id, error_code::invalid_request);
      continue;
    }
    session->state().coordinator.has_streams_group(id) ? delete_ours(call, id) : delete_upstream(call, id, false);
  }
  return {};
}

}  // namespace weir::gateway
