// Internal topics of streams groups, created in the upstream cluster (spec 01, 5.5; spec 02 section 5).
#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/log.hpp"
#include "gateway/upstream_cluster.hpp"
#include "protocol/codec.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/headers.hpp"
#include "protocol/messages/create_topics_request.hpp"

namespace weir::gateway {
namespace {

using protocol::error_code;

constexpr std::int16_t create_topics_max_version = 7;
constexpr std::int32_t create_timeout_ms = 10'000;
constexpr std::int64_t creating_forgotten_ms = 30'000;

protocol::create_topics_request request_for(const std::vector<std::pair<std::string, group::internal_topic>>& topics) {
  protocol::create_topics_request request;
  request.timeout_ms = create_timeout_ms;
  for (const auto& [name, wanted] : topics) {
    auto& topic = request.topics.emplace_back();
    topic.name = name;
    topic.num_partitions = wanted.partitions;
    topic.replication_factor = wanted.replication_factor;
    for (const auto& [key, value] : wanted.configs) {
      auto& config = topic.configs.emplace_back();
      config.name = key;
      config.value = text(value);
    }
  }
  return request;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> upstream_cluster::ensure(
    std::string_view group_id, const std::map<std::string, group::internal_topic, std::less<>>& topics,
    std::int32_t heartbeat_interval_ms) {
  const std::int64_t now = clock_.now_ms();
  std::vector<std::pair<std::string, std::string>> problems;
  std::vector<std::pair<std::string, group::internal_topic>> wanted;
  {
    const std::lock_guard guard(mutex_);
    std::erase_if(creating_, [&](const auto& entry) { return entry.second <= now; });
    for (const auto& [name, topic] : topics) {
      if (const auto* const reason = failed_.find(name, now)) {
        problems.emplace_back(name, *reason);
      } else if (creating_.try_emplace(name, now + creating_forgotten_ms).second) {
        wanted.emplace_back(name, topic);
      }
    }
  }
  if (!wanted.empty()) {
    log::info("creating internal topics", {{"group", group_id}, {"topics", wanted.size()}});
    boost::asio::post(context_, [this, wanted = std::move(wanted), live_ms = 2 * std::int64_t{heartbeat_interval_ms}] {
      create(wanted, live_ms);
    });
  }
  return problems;
}

void upstream_cluster::create(std::vector<std::pair<std::string, group::internal_topic>> topics,
                              std::int64_t errors_live_ms) {
  std::vector<std::string> names;
  for (const auto& [name, topic] : topics) names.push_back(name);
  if (!connection_ || !versions_known_) {
    return take_created(names, errors_live_ms, fail("the upstream is not reachable"));
  }
  const auto version = std::min(create_topics_max_version, max_version(protocol::create_topics_request::api_key));
  ask<protocol::create_topics_response>(
      request_for(topics), version,
      [this, names, errors_live_ms](const auto& answer) { take_created(names, errors_live_ms, answer); });
}

void upstream_cluster::take_created(const std::vector<std::string>& names, std::int64_t errors_live_ms,
                                    const result<upstream_answer<protocol::create_topics_response>>& answer) {
  const std::int64_t until = clock_.now_ms() + errors_live_ms;
  std::map<std::string, std::string, std::less<>> failures;
  if (!answer) {
    for (const auto& name : names) failures[name] = answer.error().message;
  } else {
    for (const auto& topic : answer->message.topics) {
      const auto code = static_cast<error_code>(topic.error_code);
      if (code == error_code::none || code == error_code::topic_already_exists) continue;
      const std::string why = topic.error_message ? topic.error_message->str() : std::string();
      failures[topic.name.str()] = std::string(name(code)) + (why.empty() ? "" : ": " + why);
    }
  }
  {
    const std::lock_guard guard(mutex_);
    for (const auto& name : names) creating_.erase(name);
    for (const auto& [name, reason] : failures) failed_.put(name, reason, until);
  }
  for (const auto& [topic, reason] : failures) {
    log::warn("internal topic not created", {{"topic", topic}, {"reason", reason}});
  }
  refresh();
}

}  // namespace weir::gateway
