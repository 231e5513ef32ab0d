#include "http/resources/topology.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/json/array.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/json_writer.hpp"
#include "http/problem.hpp"

namespace weir::http {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using described = protocol::streams_group_describe_response;

array names(const std::vector<text>& of) {
  array out;
  for (const auto& each : of) out.emplace_back(each.view());
  return out;
}

/// Partitions: as decided, or 0 while the source topics they follow are missing.
array internal_topics(const std::vector<described::topic_info_data>& of) {
  array out;
  for (const auto& topic : of) {
    object configs;
    for (const auto& config : topic.topic_configs) configs[config.key.view()] = config.value.view();
    out.push_back(object{{"name", topic.name.view()},
                         {"partitions", topic.partitions},
                         {"replication_factor", topic.replication_factor},
                         {"configs", std::move(configs)}});
  }
  return out;
}

object subtopology(const described::subtopology_data& of) {
  return {{"subtopology_id", of.subtopology_id.view()},
          {"source_topics", names(of.source_topics)},
          {"repartition_source_topics", internal_topics(of.repartition_source_topics)},
          {"repartition_sink_topics", names(of.repartition_sink_topics)},
          {"state_changelog_topics", internal_topics(of.state_changelog_topics)}};
}

object node(const described::topology_description_node_data& of) {
  static constexpr std::array<std::string_view, 4> types{"unknown", "source", "processor", "sink"};
  const auto type = static_cast<std::size_t>(of.node_type);
  return {{"name", of.name.view()},
          {"type", type < types.size() ? types[type] : types[0]},
          {"source_topics", names(of.source_topics)},
          {"sink_topic", of.sink_topic ? value(of.sink_topic->view()) : value()},
          {"stores", names(of.stores)},
          {"successors", names(of.successors)}};
}

value description(const std::optional<described::topology_description_data>& of) {
  if (!of) return nullptr;
  array parts;
  for (const auto& part : of->subtopologies) {
    array nodes;
    for (const auto& each : part.nodes) nodes.push_back(node(each));
    parts.push_back(object{{"subtopology_id", part.subtopology_id.view()}, {"nodes", std::move(nodes)}});
  }
  array stores;
  for (const auto& store : of->global_stores) {
    stores.push_back(object{{"source", node(store.source)}, {"processor", node(store.processor)}});
  }
  return object{{"subtopologies", std::move(parts)}, {"global_stores", std::move(stores)}};
}

/// What is shown of a group: members are not.
struct shown_topology {
  text group_id;
  std::optional<described::topology_data> topology;
  std::optional<described::topology_description_data> description;
};

object topology_document(const shown_topology& group, const std::string& problem) {
  array parts;
  if (group.topology && group.topology->subtopologies) {
    for (const auto& part : *group.topology->subtopologies) parts.push_back(subtopology(part));
  }
  return {{"group_id", group.group_id.view()},
          {"topology_epoch", group.topology ? value(group.topology->epoch) : value()},
          {"problem", or_null(problem)},
          {"subtopologies", std::move(parts)},
          {"description", description(group.description)}};
}

/// What is known of patterns is no part of what StreamsGroupDescribe tells.
void answer_with(actors::coordinator& groups, const described::described_group_data& group, const respond& answer) {
  const auto shown = std::make_shared<const shown_topology>(
      shown_topology{group.group_id, group.topology, group.topology_description});
  groups.health_of(shown->group_id.str(), {}, [shown, answer](const actors::told_health& health) {
    at_leisure(answer, [shown, answer, patterns = health ? health->patterns : std::string()] {
      answer(json_response(topology_document(*shown, patterns)));
    });
  });
}

}  // namespace

void add_topology(router& to, actors::coordinator& groups) {
  to.add("GET", "/v1/groups/{group}/topology", [&groups](const call& at, const respond& answer) {
    groups.describe(at.captures.front(), [&groups, answer](const described::described_group_data& group) {
      const auto error = static_cast<protocol::error_code>(group.error_code);
      if (error == protocol::error_code::none) return answer_with(groups, group, answer);
      const auto why = group.error_message ? group.error_message->str() : std::string("ask again");
      answer(problem(status_of(error), why, error));
    });
  });
}

}  // namespace weir::http
