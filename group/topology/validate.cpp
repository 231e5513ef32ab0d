#include "group/topology/validate.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.hpp"

namespace weir::group {
namespace {

using complaint = std::optional<std::string>;

constexpr std::array<std::string_view, 3> broker_topics{"__consumer_offsets", "__transaction_state",
                                                        "__share_group_state"};

bool is_topic_character(char c) noexcept;
complaint find_fault(const topology& topology);
complaint find_fault(const subtopology& part);
complaint find_fault(const std::vector<topic_info>& infos, const std::string& id);

refusal invalid_topology(std::string message) {
  return {protocol::error_code::streams_invalid_topology, std::move(message)};
}

}  // namespace

bool is_legal_topic_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= limits::topic_name_max && name != "." && name != ".." &&
         std::ranges::all_of(name, is_topic_character);
}

bool is_kafka_internal(std::string_view name) noexcept {
  return std::ranges::find(broker_topics, name) != broker_topics.end();
}

std::optional<refusal> check_internal_topics(const topology& topology) {
  auto names = all_topics(topology);
  for (auto broker_topic : broker_topics) {
    std::string name(broker_topic);
    if (names.contains(name)) return invalid_topology("Topic " + name + " is internal to Kafka and cannot be used.");
  }
  return std::nullopt;
}

std::optional<refusal> check_topic_names(const topology& topology) {
  for (const auto& name : all_topics(topology)) {
    if (!is_legal_topic_name(name)) return invalid_topology("Topic name \"" + name + "\" is not legal.");
  }
  return std::nullopt;
}

std::optional<refusal> check_source_regex(const topology& topology) {
  for (const auto& part : topology.subtopologies) {
    if (part.source_topic_regex.empty()) continue;
    return refusal{protocol::error_code::invalid_request,
                   "Subtopology " + part.id + " has regular expressions for source topics, which are not supported."};
  }
  return std::nullopt;
}

std::optional<refusal> check_changelog_partitions(const topology& topology) {
  for (const auto& part : topology.subtopologies) {
    for (const auto& info : part.state_changelog_topics) {
      if (info.partitions == 0) continue;
      return invalid_topology("Changelog topic " + info.name + " asks for " + std::to_string(info.partitions) +
                              " partitions, but must leave the number open.");
    }
  }
  return std::nullopt;
}

std::optional<refusal> check_structure(const topology& topology, bool strict_kafka) {
  auto fault = find_fault(topology);
  if (!fault) return std::nullopt;
  if (!strict_kafka) return invalid_topology(std::move(*fault));
  return refusal{protocol::error_code::unknown_server_error, std::move(*fault)};
}

namespace {

bool is_topic_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

complaint find_fault(const topology& topology) {
  if (topology.subtopologies.size() > limits::subtopologies_max) {
    return "The topology has " + std::to_string(topology.subtopologies.size()) + " subtopologies; " +
           std::to_string(limits::subtopologies_max) + " are allowed.";
  }
  std::set<std::string_view> ids;
  for (const auto& part : topology.subtopologies) {
    if (!ids.insert(part.id).second) return "Subtopology " + part.id + " is there twice.";
    if (auto fault = find_fault(part)) return fault;
  }
  return std::nullopt;
}

complaint find_fault(const subtopology& part) {
  for (const auto& group : part.copartition_groups) {
    if (!copartitioned_topics(part, group)) return "Subtopology " + part.id + " has a copartition index out of range.";
  }
  if (auto fault = find_fault(part.repartition_source_topics, part.id)) return fault;
  return find_fault(part.state_changelog_topics, part.id);
}

complaint find_fault(const std::vector<topic_info>& infos, const std::string& id) {
  std::set<std::string_view> names;
  for (const auto& info : infos) {
    if (!names.insert(info.name).second) return "Subtopology " + id + " names topic " + info.name + " twice.";
    if (info.partitions < 0) return "Topic " + info.name + " has a negative number of partitions.";
    std::set<std::string_view> keys;
    for (const auto& [key, value] : info.configs) {
      if (!keys.insert(key).second) return "Topic " + info.name + " sets " + key + " twice.";
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace weir::group
