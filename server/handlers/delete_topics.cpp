// DeleteTopics (20): by name, or by id from version 6 on.
#include <set>
#include <vector>

#include "protocol/messages/delete_topics_request.hpp"
#include "protocol/messages/delete_topics_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using protocol::kafka_error;
using wanted_topic = protocol::delete_topics_request::delete_topic_state_data;
using part = protocol::delete_topics_response::deletable_topic_result_data;

constexpr std::int16_t structures_from = 6;  // before, a plain list of names

std::vector<wanted_topic> wanted_topics(protocol::delete_topics_request& asked, std::int16_t version) {
  if (version >= structures_from) return std::move(asked.topics);
  std::vector<wanted_topic> out;
  for (auto& name : asked.topic_names) out.push_back({.name = std::move(name), .topic_id = {}});
  return out;
}

/// Why this entry cannot be looked at; nothing if it can. Remembers what it has seen.
std::optional<kafka_error> check(const wanted_topic& wanted, std::set<std::string>& names, std::set<uuid>& ids) {
  if (wanted.name && !wanted.topic_id.is_zero()) {
    return kafka_error{error_code::invalid_request, "You may not specify both topic name and topic id."};
  }
  if (!wanted.name && wanted.topic_id.is_zero()) {
    return kafka_error{error_code::invalid_request, "Neither topic name nor id were specified."};
  }
  const bool first = wanted.name ? names.insert(wanted.name->str()).second : ids.insert(wanted.topic_id).second;
  if (!first) return kafka_error{error_code::invalid_request, "The topic is in the request more than once."};
  return std::nullopt;
}

}  // namespace

void delete_topics::handle(request asked, call c, embedded_node& node) {
  const auto topics = wanted_topics(asked, c.version());
  const auto parts = gather<part>::of(topics.size(), [c](std::vector<part> responses) {
    protocol::delete_topics_response out;
    out.responses = std::move(responses);
    c.answer(out);
  });
  std::set<std::string> names;
  std::set<uuid> ids;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    part out{.name = topics[i].name, .topic_id = topics[i].topic_id};
    if (const auto wrong = check(topics[i], names, ids)) {
      tell(out, *wrong);
      parts->put(i, std::move(out));
      continue;
    }
    auto done = [parts, i, out](const auto& removed) mutable {
      if (removed) {
        out.name = text((*removed)->name);
        out.topic_id = (*removed)->id;
      } else {
        tell(out, removed.error());
      }
      parts->put(i, std::move(out));
    };
    if (topics[i].name) {
      node.topics.remove(topics[i].name->str(), std::move(done));
    } else {
      node.topics.remove(topics[i].topic_id, std::move(done));
    }
  }
}

}  // namespace weir::server::handlers
