#include "storage/topology_codec.hpp"

#include <string>
#include <vector>

#include "protocol/group_records.hpp"
#include "protocol/messages/streams_group_topology_value.hpp"

namespace weir::storage {

namespace {

using wire_topology = protocol::streams_group_topology_value;

std::vector<text> views(const std::vector<std::string>& names) {
  std::vector<text> out;
  out.reserve(names.size());
  for (const auto& name : names) out.push_back(text::view(name));
  return out;
}

std::vector<std::string> copies(const std::vector<text>& names) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const auto& name : names) out.push_back(name.str());
  return out;
}

std::vector<wire_topology::topic_info_data> to_wire(const std::vector<group::topic_info>& topics) {
  std::vector<wire_topology::topic_info_data> out;
  for (const auto& topic : topics) {
    auto& entry = out.emplace_back();
    entry.name = text::view(topic.name);
    entry.partitions = topic.partitions;
    entry.replication_factor = topic.replication_factor;
    for (const auto& [key, value] : topic.configs) {
      entry.topic_configs.push_back({.key = text::view(key), .value = text::view(value)});
    }
  }
  return out;
}

std::vector<group::topic_info> from_wire(const std::vector<wire_topology::topic_info_data>& topics) {
  std::vector<group::topic_info> out;
  for (const auto& topic : topics) {
    auto& entry = out.emplace_back();
    entry.name = topic.name.str();
    entry.partitions = topic.partitions;
    entry.replication_factor = topic.replication_factor;
    for (const auto& config : topic.topic_configs) entry.configs.emplace_back(config.key.str(), config.value.str());
  }
  return out;
}

wire_topology::subtopology_data to_wire(const group::subtopology& part) {
  wire_topology::subtopology_data out;
  out.subtopology_id = text::view(part.id);
  out.source_topics = views(part.source_topics);
  out.source_topic_regex = views(part.source_topic_regex);
  out.state_changelog_topics = to_wire(part.state_changelog_topics);
  out.repartition_sink_topics = views(part.repartition_sink_topics);
  out.repartition_source_topics = to_wire(part.repartition_source_topics);
  for (const auto& together : part.copartition_groups) {
    auto& entry = out.copartition_groups.emplace_back();
    entry.source_topics = together.source_topics;
    entry.source_topic_regex = together.source_topic_regex;
    entry.repartition_source_topics = together.repartition_source_topics;
  }
  return out;
}

group::subtopology from_wire(const wire_topology::subtopology_data& part) {
  group::subtopology out;
  out.id = part.subtopology_id.str();
  out.source_topics = copies(part.source_topics);
  out.source_topic_regex = copies(part.source_topic_regex);
  out.state_changelog_topics = from_wire(part.state_changelog_topics);
  out.repartition_sink_topics = copies(part.repartition_sink_topics);
  out.repartition_source_topics = from_wire(part.repartition_source_topics);
  for (const auto& together : part.copartition_groups) {
    out.copartition_groups.push_back(
        {together.source_topics, together.source_topic_regex, together.repartition_source_topics});
  }
  return out;
}

}  // namespace

bytes encode_topology(const group::topology& value) {
  wire_topology out;
  out.epoch = value.epoch;
  for (const auto& part : value.subtopologies) out.subtopologies.push_back(to_wire(part));
  return protocol::encode_record_value(out);
}

result<std::optional<group::topology>> decode_topology(std::optional<byte_view> value) {
  if (!value) return std::optional<group::topology>();
  const auto in = protocol::decode_record_value<wire_topology>(*value);
  if (!in) return tl::unexpected(in.error());
  group::topology out;
  out.epoch = in->epoch;
  for (const auto& part : in->subtopologies) out.subtopologies.push_back(from_wire(part));
  return std::optional(std::move(out));
}

}  // namespace weir::storage
