// CreatePartitions (37).
#include <fmt/format.h>

#include <vector>

#include "protocol/messages/create_partitions_request.hpp"
#include "protocol/messages/create_partitions_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using protocol::kafka_error;
using wanted_topic = protocol::create_partitions_request::create_partitions_topic_data;
using part = protocol::create_partitions_response::create_partitions_topic_result_data;

/// Replicas given by hand for the new partitions.
std::optional<kafka_error> check_assignments(const wanted_topic& wanted, const metadata::image& image,
                                             std::int32_t node_id) {
  if (!wanted.assignments) return std::nullopt;
  const auto* const topic = image.find(wanted.name);
  const auto added = topic == nullptr ? 0 : wanted.count - topic->partition_count();
  if (added > 0 && static_cast<std::size_t>(added) != wanted.assignments->size()) {
    return kafka_error{error_code::invalid_replica_assignment,
                       fmt::format("Increasing the number of partitions by {} but {} assignments provided.", added,
                                   wanted.assignments->size())};
  }
  for (const auto& each : *wanted.assignments) {
    if (each.broker_ids != std::vector<std::int32_t>{node_id}) {
      return kafka_error{error_code::invalid_replica_assignment,
                         fmt::format("Every new partition must be assigned to broker {} alone.", node_id)};
    }
  }
  return std::nullopt;
}

}  // namespace

void create_partitions::handle(request asked, call c, embedded_node& node) {
  const auto repeated = repeated_names(asked.topics, [](const auto& topic) { return topic.name.view(); });
  std::vector<const wanted_topic*> single;
  for (const auto& topic : asked.topics) {
    if (!repeated.contains(topic.name)) single.push_back(&topic);
  }
  const auto parts = gather<part>::of(single.size() + repeated.size(), [c](std::vector<part> results) {
    protocol::create_partitions_response out;
    out.results = std::move(results);
    c.answer(out);
  });
  std::size_t index = 0;
  for (const auto& name : repeated) {
    part refused{.name = text(name)};
    tell(refused, {error_code::invalid_request, "Duplicate topic in request."});
    parts->put(index++, std::move(refused));
  }
  const auto image = node.topics.current();
  for (const auto* const topic : single) {
    part out{.name = topic->name};
    if (const auto wrong = check_assignments(*topic, *image, node.options.node_id)) {
      tell(out, *wrong);
      parts->put(index++, std::move(out));
      continue;
    }
    node.topics.add_partitions(topic->name.str(), topic->count, asked.validate_only,
                               [parts, index, out](const auto& added) mutable {
                                 if (!added) tell(out, added.error());
                                 parts->put(index, std::move(out));
                               });
    ++index;
  }
}

}  // namespace weir::server::handlers
