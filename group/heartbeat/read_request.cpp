#include "group/heartbeat/read_request.hpp"

#include <set>
#include <string_view>

namespace weir::group {
namespace {

using task_list = std::optional<std::vector<heartbeat_request::task_ids_data>>;
using info_list = std::vector<heartbeat_request::topic_info_data>;

task_set tasks_in(const task_list& list, bool& repeats_subtopology);
subtopology subtopology_in(const heartbeat_request::subtopology_data& data);
std::vector<topic_info> infos_in(const info_list& list);
std::vector<std::string> strings_in(const std::vector<text>& list);

}  // namespace

std::optional<owned_report> owned_by(const heartbeat_request& request) {
  if (!request.active_tasks || !request.standby_tasks || !request.warmup_tasks) return std::nullopt;
  std::optional<owned_report> owned(std::in_place);
  owned->tasks.active = tasks_in(request.active_tasks, owned->repeats_subtopology);
  owned->tasks.standby = tasks_in(request.standby_tasks, owned->repeats_subtopology);
  owned->tasks.warmup = tasks_in(request.warmup_tasks, owned->repeats_subtopology);
  return owned;
}

checked<std::optional<task_offsets>> offsets_in(
    const std::optional<std::vector<heartbeat_request::task_offset_data>>& list) {
  if (!list) return std::nullopt;
  task_offsets offsets;
  for (const auto& entry : *list) {
    if (!offsets[entry.subtopology_id.str()].try_emplace(entry.partition, entry.offset).second) {
      return refuse(protocol::error_code::invalid_request, "Task " + entry.subtopology_id.str() + "_" +
                                                               std::to_string(entry.partition) +
                                                               " has two offsets in one request.");
    }
  }
  return std::optional(std::move(offsets));
}

checked<std::map<std::string, std::string>> tags_in(const call& c,
                                                    const std::vector<heartbeat_request::key_value_data>& list) {
  std::map<std::string, std::string> tags;
  for (const auto& [key, value, unknown] : list) {
    if (!tags.try_emplace(key.str(), value.str()).second) {
      return refuse_malformed(c, protocol::error_code::invalid_request, "ClientTags has key " + key.str() + " twice.");
    }
  }
  return tags;
}

topology topology_in(const heartbeat_request::topology_data& data) {
  topology read{.epoch = data.epoch, .subtopologies = {}};
  for (const auto& part : data.subtopologies) read.subtopologies.push_back(subtopology_in(part));
  return read;
}

namespace {

task_set tasks_in(const task_list& list, bool& repeats_subtopology) {
  task_set tasks;
  std::set<std::string_view> without_partitions;
  for (const auto& entry : *list) {
    const auto id = entry.subtopology_id.view();
    auto found = tasks.find(id);
    if (found != tasks.end() || without_partitions.contains(id)) repeats_subtopology = true;
    if (entry.partitions.empty()) {
      without_partitions.insert(id);
      continue;
    }
    if (found == tasks.end()) found = tasks.try_emplace(entry.subtopology_id.str()).first;
    found->second.insert(entry.partitions.begin(), entry.partitions.end());
  }
  return tasks;
}

subtopology subtopology_in(const heartbeat_request::subtopology_data& data) {
  subtopology part{
      .id = data.subtopology_id.str(),
      .source_topics = strings_in(data.source_topics),
      .source_topic_regex = strings_in(data.source_topic_regex),
      .state_changelog_topics = infos_in(data.state_changelog_topics),
      .repartition_sink_topics = strings_in(data.repartition_sink_topics),
      .repartition_source_topics = infos_in(data.repartition_source_topics),
      .copartition_groups = {},
  };
  for (const auto& group : data.copartition_groups) {
    part.copartition_groups.push_back({.source_topics = group.source_topics,
                                       .source_topic_regex = group.source_topic_regex,
                                       .repartition_source_topics = group.repartition_source_topics});
  }
  return part;
}

std::vector<topic_info> infos_in(const info_list& list) {
  std::vector<topic_info> infos;
  for (const auto& entry : list) {
    topic_info info{.name = entry.name.str(),
                    .partitions = entry.partitions,
                    .replication_factor = entry.replication_factor,
                    .configs = {}};
    for (const auto& [key, value, unknown] : entry.topic_configs) info.configs.emplace_back(key.str(), value.str());
    infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<std::string> strings_in(const std::vector<text>& list) {
  std::vector<std::string> strings;
  strings.reserve(list.size());
  for (const auto& item : list) strings.push_back(item.str());
  return strings;
}

}  // namespace
}  // namespace weir::group
