// DescribeTopicPartitions (75): topics by name, in pages of partitions.
#include <algorithm>
#include <set>
#include <string>

#include "group/topology/validate.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/describe_topic_partitions_request.hpp"
#include "protocol/messages/describe_topic_partitions_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using answer = protocol::describe_topic_partitions_response;
using topic_answer = answer::describe_topic_partitions_response_topic_data;
using partition_answer = answer::describe_topic_partitions_response_partition_data;

constexpr std::int32_t page_partitions_max = 2000;

partition_answer describe(std::int32_t index, std::int32_t node_id) {
  partition_answer out;
  out.partition_index = index;
  out.leader_id = node_id;
  out.leader_epoch = 0;
  out.replica_nodes = {node_id};
  out.isr_nodes = {node_id};
  out.eligible_leader_replicas.emplace();
  out.last_known_elr.emplace();
  return out;
}

topic_answer refuse(const std::string& name) {
  topic_answer out;
  out.name = text(name);
  out.error_code = code_of(group::is_legal_topic_name(name) ? error_code::unknown_topic_or_partition
                                                            : error_code::invalid_topic_exception);
  return out;
}

std::set<std::string> wanted_names(const protocol::describe_topic_partitions_request& asked,
                                   const metadata::image& image) {
  std::set<std::string> names;
  for (const auto& topic : asked.topics) names.insert(topic.name.str());
  if (asked.topics.empty()) {
    for (const auto& topic : image.topics()) names.insert(topic->name);
  }
  if (asked.cursor) names.erase(names.begin(), names.lower_bound(asked.cursor->topic_name.str()));
  return names;
}

}  // namespace

void describe_topic_partitions::handle(request asked, call c, embedded_node& node) {
  const auto image = node.topics.current();
  auto left = std::clamp(asked.response_partition_limit, 1, page_partitions_max);
  answer out;
  for (const auto& name : wanted_names(asked, *image)) {
    const auto* const topic = image->find(name);
    if (topic == nullptr) {
      out.topics.push_back(refuse(name));
      continue;
    }
    const bool continued = asked.cursor && asked.cursor->topic_name == name;
    auto next = continued ? std::max(asked.cursor->partition_index, 0) : 0;
    if (left == 0) {
      out.next_cursor.emplace();
      out.next_cursor->topic_name = text(name);
      break;
    }
    topic_answer described;
    described.name = text::view(topic->name);
    described.topic_id = topic->id;
    described.topic_authorized_operations = operations::all_of_topic;
    for (; next < topic->partition_count() && left > 0; ++next, --left) {
      described.partitions.push_back(describe(next, node.options.node_id));
    }
    out.topics.push_back(std::move(described));
    if (next < topic->partition_count()) {
      out.next_cursor.emplace();
      out.next_cursor->topic_name = text(name);
      out.next_cursor->partition_index = next;
      break;
    }
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
