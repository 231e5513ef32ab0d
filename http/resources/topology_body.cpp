#include "http/resources/topology_body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"
#include "http/json_reader.hpp"

namespace weir::http {
namespace {

using protocol::streams_group_heartbeat_request;

constexpr std::int32_t source_partitions = 4;

void gather(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// A list of names, or of objects with name and partitions.
std::vector<topic_body> read_topics(object_reader& from, std::string_view field, std::int32_t otherwise,
                                   std::vector<std::string>& mistakes) {
  std::vector<topic_body> out;
  const json_items* items = from.items(field);
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const json_value& item = (*items)[i];
    if (const auto* name = item.as<std::string>()) {
      out.push_back({*name, otherwise});
      continue;
    }
    object_reader topic(item, fmt::format("{}[{}]", field, i));
    topic_body made;
    made.name = topic.required_string("name");
    made.partitions =
        static_cast<std::int32_t>(topic.integer("partitions", otherwise, 0, limits::topic_partitions_max));
    gather(mistakes, topic.finish());
    out.push_back(std::move(made));
  }
  return out;
}

std::vector<std::vector<std::string>> read_copartition(object_reader& from) {
  std::vector<std::vector<std::string>> out;
  const json_items* groups = from.items("copartition");
  for (std::size_t i = 0; groups != nullptr && i < groups->size(); ++i) {
    const auto* names = (*groups)[i].as<json_items>();
    if (names == nullptr) {
      from.complain("copartition", "must be a list of lists of topic names");
      continue;
    }
    auto& group = out.emplace_back();
    for (const auto& name : *names) group.push_back(name.plain());
  }
  return out;
}

subtopology_body read_subtopology(const json_value& from, const std::string& path, std::size_t index,
                                  std::vector<std::string>& mistakes) {
  object_reader fields(from, fmt::format("{}[{}]", path, index));
  subtopology_body out;
  const json_value* id = fields.field("id");
  out.id = id == nullptr ? std::to_string(index) : id->plain();
  out.sources = fields.strings("sources");
  out.source_patterns = fields.strings("source_patterns");
  out.repartition_sinks = fields.strings("repartition_sinks");
  out.repartition_sources = read_topics(fields, "repartition_sources", 0, mistakes);
  out.changelogs = fields.strings("changelogs");
  out.copartition = read_copartition(fields);
  gather(mistakes, fields.finish());
  return out;
}

std::vector<text> views(const std::vector<std::string>& of) {
  std::vector<text> out;
  for (const std::string& one : of) out.push_back(text::view(one));
  return out;
}

streams_group_heartbeat_request::topic_info_data internal_topic(std::string_view name, std::int32_t partitions) {
  streams_group_heartbeat_request::topic_info_data out;
  out.name = text::view(name);
  out.partitions = partitions;
  return out;
}

/// Names become indexes into the subtopology's own lists.
streams_group_heartbeat_request::copartition_group_data copartition_group(const subtopology_body& of,
                                                                          const std::vector<std::string>& names) {
  streams_group_heartbeat_request::copartition_group_data out;
  for (const std::string& name : names) {
    const auto source = std::find(of.sources.begin(), of.sources.end(), name);
    if (source != of.sources.end()) out.source_topics.push_back(static_cast<std::int16_t>(source - of.sources.begin()));
    const auto pattern = std::find(of.source_patterns.begin(), of.source_patterns.end(), name);
    if (pattern != of.source_patterns.end()) {
      out.source_topic_regex.push_back(static_cast<std::int16_t>(pattern - of.source_patterns.begin()));
    }
    const auto same_name = [&](const topic_body& topic) { return topic.name == name; };
    const auto repartition = std::find_if(of.repartition_sources.begin(), of.repartition_sources.end(), same_name);
    if (repartition == of.repartition_sources.end()) continue;
    out.repartition_source_topics.push_back(static_cast<std::int16_t>(repartition - of.repartition_sources.begin()));
  }
  return out;
}

streams_group_heartbeat_request::subtopology_data to_wire(const subtopology_body& from) {
  streams_group_heartbeat_request::subtopology_data out;
  out.subtopology_id = text::view(from.id);
  out.source_topics = views(from.sources);
  out.source_topic_regex = views(from.source_patterns);
  out.repartition_sink_topics = views(from.repartition_sinks);
  for (const topic_body& topic : from.repartition_sources) {
    out.repartition_source_topics.push_back(internal_topic(topic.name, topic.partitions));
  }
  for (const std::string& name : from.changelogs) out.state_changelog_topics.push_back(internal_topic(name, 0));
  for (const auto& names : from.copartition) out.copartition_groups.push_back(copartition_group(from, names));
  return out;
}

void add_unlisted_sources(topology_body& to) {
  for (const subtopology_body& one : to.subtopologies) {
    for (const std::string& source : one.sources) {
      const bool is_listed = std::ranges::any_of(to.topics, [&](const auto& topic) { return topic.name == source; });
      if (!is_listed) to.topics.push_back({source, source_partitions});
    }
  }
}

}  // namespace

result<topology_body> read_topology_body(const json_value& from, const std::string& path) {
  std::vector<std::string> mistakes;
  object_reader fields(from, path);
  topology_body out;
  out.topics = read_topics(fields, "topics", source_partitions, mistakes);
  const json_items* subtopologies = fields.items("subtopologies");
  const auto where = path.empty() ? std::string("subtopologies") : path + ".subtopologies";
  for (std::size_t i = 0; subtopologies != nullptr && i < subtopologies->size(); ++i) {
    out.subtopologies.push_back(read_subtopology((*subtopologies)[i], where, i, mistakes));
  }
  add_unlisted_sources(out);
  if (out.subtopologies.empty()) fields.complain("subtopologies", "must have at least one entry");
  gather(mistakes, fields.finish());
  if (!mistakes.empty()) return fail(joined(mistakes));
  return out;
}

streams_group_heartbeat_request::topology_data to_wire(const topology_body& from) {
  streams_group_heartbeat_request::topology_data out;
  for (const subtopology_body& one : from.subtopologies) out.subtopologies.push_back(to_wire(one));
  return out;
}

}  // namespace weir::http
