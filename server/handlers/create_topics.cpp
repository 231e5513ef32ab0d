// CreateTopics (19): into the catalogue. Spec 05, 2.5.
#include <fmt/format.h>

#include <vector>

#include "protocol/messages/create_topics_request.hpp"
#include "protocol/messages/create_topics_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using protocol::kafka_error;
using protocol::refuse;
using wanted_topic = protocol::create_topics_request::creatable_topic_data;
using part = protocol::create_topics_response::creatable_topic_result_data;

constexpr std::int8_t source_topic = 1;
constexpr std::int8_t source_default = 5;

/// Replicas given by hand: partitions 0, 1, ... and no broker but this one.
protocol::kafka_result<void> take_assignments(const wanted_topic& wanted, std::int32_t node_id, new_topic& out) {
  if (wanted.assignments.empty()) return {};
  if (wanted.num_partitions != -1 || wanted.replication_factor != -1) {
    return refuse(error_code::invalid_request,
                  "Both numPartitions or replicationFactor and assignments are set; only one way can be used.");
  }
  std::set<std::int32_t> partitions;
  for (const auto& each : wanted.assignments) {
    partitions.insert(each.partition_index);
    if (each.broker_ids != std::vector<std::int32_t>{node_id}) {
      return refuse(error_code::invalid_replica_assignment,
                    fmt::format("Partition {} must be assigned to broker {} alone.", each.partition_index, node_id));
    }
  }
  const auto count = static_cast<std::int32_t>(wanted.assignments.size());
  if (partitions.size() != wanted.assignments.size() || *partitions.begin() != 0 || *partitions.rbegin() != count - 1) {
    return refuse(error_code::invalid_replica_assignment,
                  "Partitions should be a consecutive 0-based integer sequence.");
  }
  out.partitions = count;
  return {};
}

protocol::kafka_result<new_topic> read_topic(const wanted_topic& wanted, std::int32_t node_id) {
  new_topic out{.name = wanted.name.str(),
                .partitions = wanted.num_partitions,
                .replication_factor = wanted.replication_factor,
                .configs = {},
                .racks = {}};
  for (const auto& config : wanted.configs) {
    if (!config.value) {
      return refuse(error_code::invalid_config, "Null value not supported for topic configs: " + config.name.str());
    }
    out.configs.insert_or_assign(config.name.str(), config.value->str());
  }
  if (auto taken = take_assignments(wanted, node_id, out); !taken) return tl::unexpected(taken.error());
  return out;
}

void describe_configs_of(const config_map& set, part& out) {
  auto& configs = out.configs.emplace();
  for (const auto& key : topic_config_keys()) {
    const auto own = set.find(key.name);
    const bool is_set = own != set.end();
    configs.push_back({.name = text::view(key.name),
                       .value = is_set ? text(own->second) : text::view(key.standard),
                       .read_only = false,
                       .config_source = is_set ? source_topic : source_default,
                       .is_sensitive = false});
  }
}

}  // namespace

void create_topics::handle(request asked, call c, embedded_node& node) {
  const auto repeated = repeated_names(asked.topics, [](const auto& topic) { return topic.name.view(); });
  std::vector<const wanted_topic*> single;
  for (const auto& topic : asked.topics) {
    if (!repeated.contains(topic.name)) single.push_back(&topic);
  }
  const auto parts = gather<part>::of(single.size() + repeated.size(), [c](std::vector<part> topics) {
    protocol::create_topics_response out;
    out.topics = std::move(topics);
    c.answer(out);
  });
  std::size_t index = 0;
  for (const auto& name : repeated) {
    part refused{.name = text(name), .configs = std::nullopt};
    tell(refused, {error_code::invalid_request, "Duplicate topic name in request."});
    parts->put(index++, std::move(refused));
  }
  for (const auto* const topic : single) {
    part out{.name = topic->name, .error_message = std::nullopt, .configs = std::nullopt};
    auto wanted = read_topic(*topic, node.options.node_id);
    if (!wanted) {
      tell(out, wanted.error());
      parts->put(index++, std::move(out));
      continue;
    }
    auto configs = wanted->configs;
    node.topics.create(std::move(*wanted), asked.validate_only,
                       [parts, index, out, configs = std::move(configs)](const auto& created) mutable {
                         if (created) {
                           out.topic_id = (*created)->id;
                           out.num_partitions = (*created)->partition_count();
                           out.replication_factor = 1;
                           describe_configs_of(configs, out);
                         } else {
                           tell(out, created.error());
                         }
                         parts->put(index, std::move(out));
                       });
    ++index;
  }
}

}  // namespace weir::server::handlers
