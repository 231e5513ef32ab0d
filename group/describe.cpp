#include "group/describe.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "group/consumer/consumer_group.hpp"
#include "group/description.hpp"
#include "group/topology/patterns.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

using response = protocol::streams_group_describe_response;

response::topology_data describe_topology(const streams_group& group, const world& world);
response::member_data describe_member(const streams_group& group, const std::string& id, const member& member);
std::shared_ptr<const configured_topology> configured_for(const streams_group& group, const world& world);
std::string assignor_name(const world& world);

group_summary summarise_consumers(const streams_group& group, group_summary row) {
  row.state = consumer_state_of(group);
  row.state_name = name(row.state);
  row.protocol_type = "consumer";
  row.group_epoch = group.consumer->epoch;
  row.assignment_epoch = group.soft.consumer.assignment->epoch;
  row.members = static_cast<std::int32_t>(group.soft.consumer.members.size());
  return row;
}

}  // namespace

group_summary summarise(const streams_group& group) {
  group_summary row;
  row.id = group.id;
  row.kind = group.kind;
  row.state = state_of(group);
  row.state_name = group.kind == group_kind::simple ? name(group.soft.classic.phase) : name(row.state);
  row.protocol_type = group.kind == group_kind::simple ? group.soft.classic.protocol_type : "streams";
  if (group.kind == group_kind::consumer) return summarise_consumers(group, std::move(row));
  row.is_held_up = (group.soft.trying && !group.members.empty()) || !is_newest_run(group);
  row.group_epoch = group.metadata.epoch;
  row.assignment_epoch = group.target_info.assignment_epoch;
  row.members = static_cast<std::int32_t>(group.members.size() + group.soft.classic.members.size());
  for (const auto& [id, member] : group.members) {
    row.active_tasks += static_cast<std::int32_t>(count(member.current.assigned.active));
    row.standby_tasks += static_cast<std::int32_t>(count(member.current.assigned.standby));
    row.warmup_tasks += static_cast<std::int32_t>(count(member.current.assigned.warmup));
  }
  return row;
}

group_summary loading_summary(std::string id, group_kind last_known) {
  group_summary row;
  row.id = std::move(id);
  row.kind = last_known;
  row.state_name = "Unknown";
  row.loading = true;
  return row;
}

response::described_group_data describe_nobody(const std::string& group_id) {
  response::described_group_data described;
  described.group_id = group_id;
  described.error_code = protocol::code_of(protocol::error_code::group_id_not_found);
  described.error_message = text("Group " + group_id + " not found.");
  return described;
}

response::described_group_data describe(const streams_group& group, const world& world) {
  response::described_group_data described;
  described.group_id = group.id;
  if (group.kind == group_kind::none) return describe_nobody(group.id);
  if (group.kind != group_kind::streams) {
    described.error_code = protocol::code_of(protocol::error_code::group_id_not_found);
    described.error_message = text("Group " + group.id + " is not a streams group.");
    return described;
  }
  described.group_state = name(state_of(group));
  described.group_epoch = group.metadata.epoch;
  described.assignment_epoch = group.target_info.assignment_epoch;
  if (group.topology) described.topology = describe_topology(group, world);
  for (const auto& [id, member] : group.members) described.members.push_back(describe_member(group, id, member));
  described.assignor_name = assignor_name(world);
  described.topology_description = stored_description(group);
  return described;
}

namespace {

/// Null while the topology is not ready: then its raw form is shown (spec 02, 4.2). Kafka configures it in heartbeats
/// only, and forgets what the heartbeat that made the group configured.
std::shared_ptr<const configured_topology> configured_for(const streams_group& group, const world& world) {
  auto configured = group.soft.configured;
  if (!configured && !world.strict_kafka) {
    auto made = configure(*group.topology, world.image, group.metadata.metadata_hash,
                          {.strict_kafka = world.strict_kafka, .matches = group.soft.matches.get()});
    if (made) configured = std::make_shared<const configured_topology>(std::move(*made));
  }
  return configured && configured->ready() ? configured : nullptr;
}

std::string assignor_name(const world& world) {
  const auto& chosen = world.config.assignor_name;
  return std::string(!chosen.empty() && world.assignors.find(chosen) ? chosen : world.assignors.standard().name());
}

/// A configured topology names each topic once, an unconfigured one as often as the application did.
std::vector<text> sorted_texts(const std::vector<std::string>& names, bool is_configured) {
  std::vector<text> list(names.begin(), names.end());
  std::ranges::sort(list, {}, [](const text& t) { return t.view(); });
  if (is_configured) list.erase(std::ranges::unique(list).begin(), list.end());
  return list;
}

/// Partitions: the decided count if the topology is configured, else what the application asked for.
std::vector<response::topic_info_data> describe_infos(
    const std::vector<topic_info>& infos, const std::map<std::string, internal_topic, std::less<>>* decided) {
  std::vector<response::topic_info_data> list;
  for (const auto& info : infos) {
    auto& entry = list.emplace_back();
    entry.name = info.name;
    entry.partitions = info.partitions;
    if (decided != nullptr) {
      if (auto found = decided->find(info.name); found != decided->end()) entry.partitions = found->second.partitions;
    }
    entry.replication_factor = info.replication_factor;
    for (const auto& [key, value] : info.configs) {
      auto& config = entry.topic_configs.emplace_back();
      config.key = key;
      config.value = value;
    }
  }
  std::ranges::sort(list, {}, [](const auto& entry) { return entry.name.view(); });
  return list;
}

response::topology_data describe_topology(const topology& topology, const configured_topology* configured) {
  response::topology_data described;
  described.epoch = topology.epoch;
  auto& parts = described.subtopologies.emplace();
  for (const auto& part : topology.subtopologies) {
    const configured_subtopology* decided = nullptr;
    if (configured != nullptr) {
      if (auto found = configured->subtopologies->find(part.id); found != configured->subtopologies->end()) {
        decided = &found->second;
      }
    }
    auto& entry = parts.emplace_back();
    entry.subtopology_id = part.id;
    entry.source_topics = sorted_texts(part.source_topics, decided != nullptr);
    entry.repartition_sink_topics = sorted_texts(part.repartition_sink_topics, decided != nullptr);
    entry.state_changelog_topics =
        describe_infos(part.state_changelog_topics, decided == nullptr ? nullptr : &decided->changelogs);
    entry.repartition_source_topics =
        describe_infos(part.repartition_source_topics, decided == nullptr ? nullptr : &decided->repartition_sources);
  }
  std::ranges::sort(parts, {}, [](const auto& entry) { return entry.subtopology_id.view(); });
  return described;
}

/// Patterns are shown as the topics that they match.
response::topology_data describe_topology(const streams_group& group, const world& world) {
  const auto configured = configured_for(group, world);
  if (!group.reads_patterns) return describe_topology(*group.topology, configured.get());
  return describe_topology(resolve(*group.topology, group.soft.matches.get()).plain, configured.get());
}

std::vector<response::task_ids_data> task_list_of(const task_set& tasks) {
  std::vector<response::task_ids_data> list;
  for (const auto& [subtopology, partitions] : tasks) {
    auto& entry = list.emplace_back();
    entry.subtopology_id = subtopology;
    entry.partitions.assign(partitions.begin(), partitions.end());
  }
  return list;
}

response::assignment_data task_list_of(const role_tasks& tasks) {
  response::assignment_data assignment;
  assignment.active_tasks = task_list_of(tasks.active);
  assignment.standby_tasks = task_list_of(tasks.standby);
  assignment.warmup_tasks = task_list_of(tasks.warmup);
  return assignment;
}

std::vector<response::task_offset_data> task_list_of(const task_offsets& offsets) {
  std::vector<response::task_offset_data> list;
  for (const auto& [subtopology, partitions] : offsets) {
    for (const auto& [partition, offset] : partitions) {
      auto& entry = list.emplace_back();
      entry.subtopology_id = subtopology;
      entry.partition = partition;
      entry.offset = offset;
    }
  }
  return list;
}

std::optional<text> optional_text(const std::optional<std::string>& value) {
  return value ? std::optional<text>(*value) : std::nullopt;
}

response::member_data describe_member(const streams_group& group, const std::string& id, const member& member) {
  const auto& metadata = member.metadata;
  response::member_data described;
  described.member_id = id;
  described.member_epoch = member.current.member_epoch;
  described.instance_id = optional_text(metadata.instance_id);
  described.rack_id = optional_text(metadata.rack_id);
  described.client_id = metadata.client_id;
  described.client_host = metadata.client_host;
  described.topology_epoch = metadata.topology_epoch;
  described.process_id = metadata.process_id;
  if (metadata.user_endpoint) {
    auto& endpoint = described.user_endpoint.emplace();
    endpoint.host = metadata.user_endpoint->host;
    endpoint.port = metadata.user_endpoint->port;
  }
  for (const auto& [key, value] : metadata.client_tags) {
    auto& tag = described.client_tags.emplace_back();
    tag.key = key;
    tag.value = value;
  }
  if (auto soft = group.soft.members.find(id); soft != group.soft.members.end()) {
    described.task_offsets = task_list_of(soft->second.offsets);
    described.task_end_offsets = task_list_of(soft->second.end_offsets);
  }
  described.assignment = task_list_of(without_epochs(member.current.assigned));
  if (auto target = group.targets.find(id); target != group.targets.end()) {
    described.target_assignment = task_list_of(target->second);
  }
  return described;
}

}  // namespace
}  // namespace weir::group
