#include "gateway/upstream_checks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/messages/consumer_group_describe_request.hpp"
#include "protocol/messages/consumer_group_describe_response.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/list_groups_response.hpp"
#include "protocol/messages/metadata_request.hpp"
#include "protocol/messages/metadata_response.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"

namespace weir::gateway {
namespace {

using protocol::code_of;
using protocol::error_code;

constexpr std::int16_t share_group_describe_key = 77;
constexpr std::int16_t list_types_from = 5;
constexpr std::int16_t topics_version = 12;
constexpr std::int16_t cluster_rights_version = 10;  // the last Metadata that tells rights on the cluster

/// Several questions about one id, on their way together. The first objection in the order of asking decides.
struct id_check {
  std::shared_ptr<client_session> session;
  server::request_in request;
  text group_id;
  client_session::permission then;
  std::vector<error_code> verdicts;
  std::size_t open = 0;
};
using id_check_ptr = std::shared_ptr<id_check>;

void settle(const id_check_ptr& check, std::size_t question, error_code verdict) {
  check->verdicts[question] = verdict;
  if (--check->open > 0) return;
  const auto objection =
      std::ranges::find_if(check->verdicts, [](error_code code) { return code != error_code::none; });
  check->then(objection == check->verdicts.end() ? error_code::none : *objection);
}

/// Reserves the place of one more question.
std::size_t next_question(const id_check_ptr& check) {
  check->verdicts.push_back(error_code::none);
  ++check->open;
  return check->verdicts.size() - 1;
}

/// A live classic group; a simple or empty one may be taken over (spec 04, section 12).
void ask_classic(const id_check_ptr& check) {
  const auto question = next_question(check);
  check->session->ask_rights(check->request, {check->group_id}, [check, question](const auto& told) {
    if (!told || told->message.groups.empty()) return settle(check, question, error_code::coordinator_not_available);
    const described_group& group = told->message.groups.front();
    const bool live = group.group_state != "Dead" && group.group_state != "Empty";
    const auto failure = judge(group, operation::describe);
    settle(check, question, failure == error_code::none && live ? error_code::group_id_not_found : failure);
  });
}

/// Groups of a kind that has a describe request of its own are taken even if they are empty.
template <class Response, class Request>
void ask_kind(const id_check_ptr& check) {
  const auto version = check->session->version_of<Request>();
  if (version < 0) return;
  const auto question = next_question(check);
  Request message;
  message.group_ids = {check->group_id};
  check->session->try_ask<Response>(check->request, message, version, [check, question](const auto& told) {
    if (!told || told->message.groups.empty()) return settle(check, question, error_code::coordinator_not_available);
    const auto said = static_cast<error_code>(told->message.groups.front().error_code);
    const bool none_there = said == error_code::group_id_not_found || said == error_code::unsupported_version;
    if (none_there) return settle(check, question, error_code::none);
    settle(check, question, said == error_code::none ? error_code::group_id_not_found : said);
  });
}

/// Share groups are looked for in a list: there are few of them where there are any.
void ask_share(const id_check_ptr& check) {
  const auto version = check->session->version_of<protocol::list_groups_request>();
  if (version < list_types_from || check->session->state().cluster.max_version(share_group_describe_key) < 0) return;
  const auto question = next_question(check);
  protocol::list_groups_request message;
  message.types_filter = {"share"};
  check->session->try_ask<protocol::list_groups_response>(
      check->request, message, version, [check, question](const auto& told) {
        if (!told) return settle(check, question, error_code::coordinator_not_available);
        if (told->message.error_code != 0)
          return settle(check, question, static_cast<error_code>(told->message.error_code));
        const bool taken = std::ranges::any_of(told->message.groups, [&](const auto& group) {
          return group.group_id == check->group_id && group.group_type == "share";
        });
        settle(check, question, taken ? error_code::group_id_not_found : error_code::none);
      });
}

/// May the principal DESCRIBE the cluster?
void ask_cluster_rights(const std::shared_ptr<client_session>& session, const server::request_in& request,
                        std::function<void(result<bool>)> then) {
  protocol::metadata_request message;
  message.topics.emplace();
  message.allow_auto_topic_creation = false;
  message.include_cluster_authorized_operations = true;
  session->try_ask<protocol::metadata_response>(
      request, message, session->version_of<protocol::metadata_request>(cluster_rights_version),
      [then = std::move(then)](const auto& told) {
        if (!told) return then(tl::unexpected(told.error()));
        const std::int32_t operations = told->message.cluster_authorized_operations;
        then(operations > 0 && (operations & 1 << static_cast<int>(operation::describe)) != 0);
      });
}

}  // namespace

void check_id_is_free(const std::shared_ptr<client_session>& session, const server::request_in& request,
                      std::string_view group_id, client_session::permission then) {
  const auto check = std::make_shared<id_check>();
  check->session = session;
  check->request = request;
  check->group_id = text(group_id);
  check->then = std::move(then);
  const auto guard = next_question(check);  // until all questions are under way
  ask_classic(check);
  ask_kind<protocol::consumer_group_describe_response, protocol::consumer_group_describe_request>(check);
  ask_kind<protocol::streams_group_describe_response, protocol::streams_group_describe_request>(check);
  ask_share(check);
  settle(check, guard, error_code::none);
}

void find_forbidden_topics(const std::shared_ptr<client_session>& session, const server::request_in& request,
                           const std::set<std::string>& topics,
                           std::function<void(result<std::set<std::string>>)> then) {
  if (topics.empty()) return then(std::set<std::string>{});
  protocol::metadata_request message;
  message.topics.emplace();
  for (const auto& topic : topics) message.topics->emplace_back().name = text::view(topic);
  message.allow_auto_topic_creation = false;
  session->try_ask<protocol::metadata_response>(
      request, message, session->version_of<protocol::metadata_request>(topics_version),
      [then = std::move(then)](const auto& told) {
        if (!told) return then(tl::unexpected(told.error()));
        std::set<std::string> forbidden;
        for (const auto& topic : told->message.topics) {
          if (topic.name && topic.error_code == code_of(error_code::topic_authorization_failed))
            forbidden.insert(topic.name->str());
        }
        then(std::move(forbidden));
      });
}

void find_visible_groups(const std::shared_ptr<client_session>& session, const server::request_in& request,
                         std::set<std::string> groups, std::function<void(result<std::set<std::string>>)> then) {
  if (groups.empty()) return then(std::move(groups));
  std::vector<text> ids(groups.begin(), groups.end());
  session->ask_rights(request, std::move(ids),
                      [session, request, groups = std::move(groups), then = std::move(then)](const auto& told) {
                        if (!told) return then(tl::unexpected(told.error()));
                        std::set<std::string> visible;
                        for (const described_group& group : told->message.groups) {
                          if (judge(group, operation::describe) != error_code::group_authorization_failed)
                            visible.insert(group.group_id.str());
                        }
                        if (visible.size() == groups.size()) return then(std::move(visible));
                        ask_cluster_rights(session, request, [groups, visible, then](const result<bool>& all) {
                          if (!all) return then(tl::unexpected(all.error()));
                          then(*all ? groups : visible);
                        });
                      });
}

}  // namespace weir::gateway
