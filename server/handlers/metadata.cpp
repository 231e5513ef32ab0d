// Metadata (3): one broker, and it leads every partition. Topics are never created by asking for them.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "group/topology/validate.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/metadata_request.hpp"
#include "protocol/messages/metadata_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using answer = protocol::metadata_response;
using wanted_topic = protocol::metadata_request::metadata_request_topic_data;
using topic_answer = answer::metadata_response_topic_data;

constexpr std::int16_t null_is_all_from = 1;  // before, an empty list asked for all topics
constexpr std::int16_t ids_from = 12;         // topics may be asked for by id

topic_answer describe(const metadata::topic& topic, std::int32_t node_id) {
  topic_answer out;
  out.name = text::view(topic.name);
  out.topic_id = topic.id;
  out.partitions.resize(topic.partition_racks.size());
  std::int32_t index = 0;
  for (auto& partition : out.partitions) {
    partition.partition_index = index++;
    partition.leader_id = node_id;
    partition.leader_epoch = 0;
    partition.replica_nodes = {node_id};
    partition.isr_nodes = {node_id};
  }
  return out;
}

topic_answer refuse(const wanted_topic& wanted, error_code code) {
  topic_answer out;
  out.error_code = code_of(code);
  out.name = wanted.name;
  out.topic_id = wanted.topic_id;
  return out;
}

topic_answer find(const metadata::image& image, const wanted_topic& wanted, std::int16_t version,
                  std::int32_t node_id) {
  const bool by_id = !wanted.topic_id.is_zero();
  if (version < ids_from && (by_id || !wanted.name)) return refuse(wanted, error_code::invalid_request);
  if (by_id) {
    const auto* const topic = image.find(wanted.topic_id);
    return topic == nullptr ? refuse({{}, std::nullopt, {}}, error_code::unknown_topic_id) : describe(*topic, node_id);
  }
  if (!wanted.name) return refuse(wanted, error_code::invalid_request);
  if (!group::is_legal_topic_name(*wanted.name)) return refuse(wanted, error_code::invalid_topic_exception);
  const auto* const topic = image.find(*wanted.name);
  return topic == nullptr ? refuse(wanted, error_code::unknown_topic_or_partition) : describe(*topic, node_id);
}

/// A topic that is named again is answered once, as in Kafka.
std::vector<topic_answer> find_all(const metadata::image& image, const std::vector<wanted_topic>& topics,
                                   std::int16_t version, std::int32_t node_id) {
  std::vector<topic_answer> out;
  std::set<std::pair<uuid, std::string_view>> seen;
  for (const auto& wanted : topics) {
    if (!seen.emplace(wanted.topic_id, wanted.name ? wanted.name->view() : std::string_view()).second) continue;
    out.push_back(find(image, wanted, version, node_id));
    if (!wanted.topic_id.is_zero()) out.back().topic_id = wanted.topic_id;
  }
  return out;
}

}  // namespace

void metadata_api::handle(request asked, call c, embedded_node& node) {
  const auto image = node.topics.current();
  const auto node_id = node.options.node_id;
  answer out;
  out.brokers.push_back({.node_id = node_id, .host = text::view(node.host(c)), .port = node.port(c), .rack = {}});
  if (node.options.rack) out.brokers.back().rack = text::view(*node.options.rack);
  out.cluster_id = text::view(image->cluster_id());
  out.controller_id = node_id;
  const bool all = !asked.topics || (c.version() < null_is_all_from && asked.topics->empty());
  if (all) {
    for (const auto& topic : image->topics()) out.topics.push_back(describe(*topic, node_id));
  } else {
    out.topics = find_all(*image, *asked.topics, c.version(), node_id);
  }
  if (asked.include_cluster_authorized_operations) out.cluster_authorized_operations = operations::all_of_cluster;
  if (asked.include_topic_authorized_operations) {
    for (auto& topic : out.topics) {
      if (topic.error_code == 0) topic.topic_authorized_operations = operations::all_of_topic;
    }
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
