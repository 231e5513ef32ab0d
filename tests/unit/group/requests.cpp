#include "tests/unit/group/requests.hpp"

#include "tests/unit/group/notation.hpp"

namespace weir::group {

using request_type = protocol::streams_group_heartbeat_request;

namespace {

std::vector<request_type::task_ids_data> wire_tasks(std::string_view text) {
  std::vector<request_type::task_ids_data> list;
  for (const auto& [subtopology, partitions] : tasks(text)) {
    request_type::task_ids_data entry;
    entry.subtopology_id = subtopology;
    entry.partitions.assign(partitions.begin(), partitions.end());
    list.push_back(entry);
  }
  return list;
}

std::vector<request_type::task_offset_data> wire_offsets(std::string_view text) {
  std::vector<request_type::task_offset_data> list;
  for (auto part : parts(text, ';')) {
    const auto under = part.find('_');
    const auto equals = part.find('=');
    request_type::task_offset_data entry;
    entry.subtopology_id = part.substr(0, under);
    entry.partition = number(part.substr(under + 1, equals - under - 1));
    entry.offset = number(part.substr(equals + 1));
    list.push_back(entry);
  }
  return list;
}

std::vector<request_type::topic_info_data> wire_infos(const std::vector<topic_info>& infos) {
  std::vector<request_type::topic_info_data> list;
  for (const auto& info : infos) {
    auto& entry = list.emplace_back();
    entry.name = info.name;
    entry.partitions = info.partitions;
    entry.replication_factor = info.replication_factor;
    for (const auto& [key, value] : info.configs) {
      auto& config = entry.topic_configs.emplace_back();
      config.key = key;
      config.value = value;
    }
  }
  return list;
}

request_type::topology_data wire_topology(const topology& app) {
  request_type::topology_data data;
  data.epoch = app.epoch;
  for (const auto& part : app.subtopologies) {
    auto& entry = data.subtopologies.emplace_back();
    entry.subtopology_id = part.id;
    entry.source_topics.assign(part.source_topics.begin(), part.source_topics.end());
    entry.source_topic_regex.assign(part.source_topic_regex.begin(), part.source_topic_regex.end());
    entry.state_changelog_topics = wire_infos(part.state_changelog_topics);
    entry.repartition_sink_topics.assign(part.repartition_sink_topics.begin(), part.repartition_sink_topics.end());
    entry.repartition_source_topics = wire_infos(part.repartition_source_topics);
    for (const auto& group : part.copartition_groups) {
      auto& indexes = entry.copartition_groups.emplace_back();
      indexes.source_topics = group.source_topics;
      indexes.source_topic_regex = group.source_topic_regex;
      indexes.repartition_source_topics = group.repartition_source_topics;
    }
  }
  return data;
}

std::vector<request_type::key_value_data> wire_tags(const std::map<std::string, std::string>& tags) {
  std::vector<request_type::key_value_data> list;
  for (const auto& [key, value] : tags) {
    auto& tag = list.emplace_back();
    tag.key = key;
    tag.value = value;
  }
  return list;
}

request_type::endpoint_data wire_endpoint(const std::string& endpoint) {
  const auto colon = endpoint.find(':');
  request_type::endpoint_data data;
  data.host = endpoint.substr(0, colon);
  data.port = static_cast<std::uint16_t>(number(std::string_view(endpoint).substr(colon + 1)));
  return data;
}

template <class Wire, class From, class Convert>
void set_if_given(std::optional<Wire>& to, const std::optional<From>& from, Convert convert) {
  if (from) to = convert(*from);
}

void add_owned(request_type& r, const with& fields) {
  if (r.member_epoch != 0 && !fields.own && !fields.own_standby && !fields.own_warmup) return;
  r.active_tasks = wire_tasks(fields.own.value_or(""));
  r.standby_tasks = wire_tasks(fields.own_standby.value_or(""));
  r.warmup_tasks = wire_tasks(fields.own_warmup.value_or(""));
}

}  // namespace

request_type make_request(const std::string& member, int epoch, const with& fields, const topology& app,
                          int known_endpoint_epoch) {
  const bool joins = epoch == 0;
  const auto as_text = [](const std::string& value) { return text(value); };
  request_type r;
  r.group_id = "g";
  r.member_id = member;
  r.member_epoch = epoch;
  r.endpoint_information_epoch = fields.endpoint_epoch.value_or(joins ? -1 : known_endpoint_epoch);
  r.rebalance_timeout_ms = fields.rebalance_timeout_ms.value_or(joins ? 30'000 : -1);
  if (joins || fields.app) r.topology = wire_topology(fields.app.value_or(app));
  if (joins || fields.process) r.process_id = fields.process.value_or("p-" + member);
  add_owned(r, fields);
  set_if_given(r.instance_id, fields.instance, as_text);
  set_if_given(r.rack_id, fields.rack, as_text);
  set_if_given(r.user_endpoint, fields.endpoint, wire_endpoint);
  set_if_given(r.client_tags, fields.tags, wire_tags);
  set_if_given(r.task_offsets, fields.offsets, wire_offsets);
  set_if_given(r.task_end_offsets, fields.end_offsets, wire_offsets);
  r.shutdown_application = fields.shutdown;
  return r;
}

topology reading(const std::vector<std::string>& sources, const std::string& changelog) {
  subtopology part{.id = "0",
                   .source_topics = sources,
                   .source_topic_regex = {},
                   .state_changelog_topics = {},
                   .repartition_sink_topics = {},
                   .repartition_source_topics = {},
                   .copartition_groups = {}};
  if (!changelog.empty()) {
    part.state_changelog_topics.push_back({.name = changelog, .partitions = 0, .replication_factor = 1, .configs = {}});
  }
  return {.epoch = 0, .subtopologies = {part}};
}

}  // namespace weir::group
