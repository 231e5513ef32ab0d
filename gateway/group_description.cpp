#include "gateway/group_description.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "gateway/upstream_checks.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"
#include "server/handler.hpp"
#include "server/handlers/mentions.hpp"

namespace weir::gateway {
namespace {

using protocol::code_of;
using protocol::error_code;
using protocol::streams_group_describe_request;
using protocol::streams_group_describe_response;
using description = streams_group_describe_response::described_group_data;

constexpr std::int8_t description_not_stored = 1;  // there is no store of topology descriptions

/// One request on its way. The descriptions come one by one from any thread, each in the place it was asked for.
struct describe_call {
  std::shared_ptr<client_session> session;
  server::request_in request;
  streams_group_describe_request message;
  streams_group_describe_response response;
  std::atomic<std::size_t> open{0};
};
using describe_ptr = std::shared_ptr<describe_call>;

std::set<std::string> topics_of(const description& group) {
  std::set<std::string> topics;
  if (!group.topology || !group.topology->subtopologies) return topics;
  for (const auto& part : *group.topology->subtopologies) {
    for (const text& name : part.source_topics) topics.insert(name.str());
    for (const text& name : part.repartition_sink_topics) topics.insert(name.str());
    for (const auto& topic : part.state_changelog_topics) topics.insert(topic.name.str());
    for (const auto& topic : part.repartition_source_topics) topics.insert(topic.name.str());
  }
  return topics;
}

/// An error takes everything with it that somebody might read.
void refuse(description& group, error_code code) {
  description refused;
  refused.group_id = group.group_id;
  refused.error_code = code_of(code);
  refused.group_state = "Dead";
  group = std::move(refused);
}

/// What may not be seen becomes an error. Empty: the upstream did not say.
void hide(const describe_ptr& call, const result<std::set<std::string>>& forbidden) {
  for (description& group : call->response.groups) {
    const auto topics = topics_of(group);
    if (topics.empty()) continue;
    if (!forbidden) {
      refuse(group, error_code::coordinator_not_available);
    } else if (std::ranges::any_of(topics, [&](const auto& topic) { return forbidden->contains(topic); })) {
      refuse(group, error_code::topic_authorization_failed);
    }
  }
  answer(call->request, call->response);
}

void check_topics(const describe_ptr& call) {
  std::set<std::string> topics;
  for (const description& group : call->response.groups) topics.merge(topics_of(group));
  find_forbidden_topics(call->session, call->request, topics,
                        [call](const result<std::set<std::string>>& forbidden) { hide(call, forbidden); });
}

/// The last description to come takes the call back to the session's thread.
void one_described(const describe_ptr& call) {
  if (--call->open == 0) call->session->post([call] { check_topics(call); });
}

void take_description(const describe_ptr& call, std::size_t place, std::int32_t operations, description group) {
  if (group.error_code == 0) {
    if (call->message.include_authorized_operations) group.authorized_operations = operations;
    if (call->message.include_topology_description) group.topology_description_status = description_not_stored;
  }
  call->response.groups[place] = std::move(group);
  one_described(call);
}

using rights = std::map<std::string_view, const described_group*>;

/// Nothing is told of a group whose rights are not known.
error_code verdict_on(const text& group_id, const rights& known) {
  if (group_id.empty()) return error_code::invalid_group_id;
  const auto found = known.find(group_id.view());
  return found == known.end() ? error_code::coordinator_not_available : judge(*found->second, operation::describe);
}

void take_rights(const describe_ptr& call, const rights& known) {
  ++call->open;  // until all groups are asked
  server::handlers::mentions named;
  for (std::size_t i = 0; i < call->message.group_ids.size(); ++i) {
    const text& id = call->message.group_ids[i];
    call->response.groups[i].group_id = id;
    if (!named.admit(id.view())) {
      call->response.groups[i] = server::handlers::refuse_repeated<description>(id);
      continue;
    }
    if (const auto verdict = verdict_on(id, known); verdict != error_code::none) {
      refuse(call->response.groups[i], verdict);
      continue;
    }
    ++call->open;
    const std::int32_t operations = known.at(id.view())->authorized_operations;
    call->session->state().coordinator.describe(id.str(), [call, i, operations](description group) {
      take_description(call, i, operations, std::move(group));
    });
  }
  one_described(call);
}

}  // namespace

result<void> describe_streams_groups(const std::shared_ptr<client_session>& session,
                                     const server::request_in& request) {
  auto message = protocol::decode<streams_group_describe_request>(request.body, request.header.request_api_version);
  if (!message) return fail(message.error().message);
  if (auto few = server::check_names(message->name, message->group_ids.size()); !few) return few;
  const auto call = std::make_shared<describe_call>();
  call->session = session;
  call->request = request;
  call->message = *std::move(message);
  call->response.groups.resize(call->message.group_ids.size());
  if (call->message.group_ids.empty()) {
    answer(request, call->response);
    return {};
  }
  session->ask_rights(request, call->message.group_ids, [call](const auto& told) {
    rights known;
    if (told) {
      for (const described_group& group : told->message.groups) known.emplace(group.group_id.view(), &group);
    }
    take_rights(call, known);
  });
  return {};
}

}  // namespace weir::gateway
