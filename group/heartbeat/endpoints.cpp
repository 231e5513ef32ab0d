#include "group/heartbeat/endpoints.hpp"

#include "group/versions.hpp"

namespace weir::group {
namespace {

using topic_partitions = std::vector<heartbeat_response::topic_partition_data>;

/// Turns tasks into partitions of the topics they read.
class resolver {
 public:
  resolver(const metadata::image& image, const configured_topology* configured)
      : image_(image), configured_(configured) {}

  topic_partitions partitions(const task_set& tasks);
  /// Those of a member that runs another topology: the topics that it names are all that is known of them.
  topic_partitions partitions(const task_set& tasks, const topology& of);
  /// Some subtopology or topic was not there.
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

 private:
  void add(std::string_view topic, const std::set<std::int32_t>& tasks, topic_partitions& to);

  const metadata::image& image_;
  const configured_topology* configured_;
  bool has_failed_ = false;
};

}  // namespace

checked<std::vector<endpoint_entry>> list_endpoints(const call& c, const member_metadata& requester,
                                                    const assigned_tasks& assigned, const std::string* replaced_id,
                                                    const configured_topology* configured) {
  std::vector<endpoint_entry> entries;
  resolver resolve(c.world.image, configured);
  bool is_any_listed = false;
  const auto add = [&](const member_metadata& metadata, const assigned_tasks& tasks) {
    if (!metadata.user_endpoint) return;
    is_any_listed = true;
    task_set replicas = tasks.standby;
    for (const auto& [subtopology, partitions] : tasks.warmup) {
      replicas[subtopology].insert(partitions.begin(), partitions.end());
    }
    endpoint_entry entry;
    entry.user_endpoint.host = metadata.user_endpoint->host;
    entry.user_endpoint.port = metadata.user_endpoint->port;
    if (configured == nullptr || c.world.strict_kafka || metadata.topology_epoch >= configured->topology_epoch) {
      entry.active_partitions = resolve.partitions(without_epochs(tasks.active));
      entry.standby_partitions = resolve.partitions(replicas);
    } else if (const auto* own = version_of(c.group, metadata.topology_epoch)) {
      entry.active_partitions = resolve.partitions(without_epochs(tasks.active), *own);
      entry.standby_partitions = resolve.partitions(replicas, *own);
    }
    entries.push_back(std::move(entry));
  };
  for (const auto& [id, member] : c.group.members) {
    if (id == c.request.member_id || (replaced_id != nullptr && id == *replaced_id)) continue;
    add(member.metadata, member.current.assigned);
  }
  add(requester, assigned);

  const bool has_no_subtopologies = configured == nullptr || !configured->subtopologies;
  if (c.world.strict_kafka && is_any_listed && (resolve.has_failed() || has_no_subtopologies)) {
    return refuse(protocol::error_code::unknown_server_error, "The endpoints cannot be listed.");
  }
  return entries;
}

namespace {

topic_partitions resolver::partitions(const task_set& tasks) {
  topic_partitions list;
  for (const auto& [subtopology, numbers] : tasks) {
    if (configured_ == nullptr || !configured_->subtopologies || !configured_->subtopologies->contains(subtopology)) {
      has_failed_ = true;
      continue;
    }
    const auto& part = configured_->subtopologies->find(subtopology)->second;
    for (const auto& topic : part.source_topics) add(topic, numbers, list);
    for (const auto& [topic, info] : part.repartition_sources) add(topic, numbers, list);
  }
  return list;
}

topic_partitions resolver::partitions(const task_set& tasks, const topology& of) {
  topic_partitions list;
  for (const auto& part : of.subtopologies) {
    const auto numbers = tasks.find(part.id);
    if (numbers == tasks.end()) continue;
    for (const auto& topic : part.source_topics) add(topic, numbers->second, list);
    for (const auto& info : part.repartition_source_topics) add(info.name, numbers->second, list);
  }
  return list;
}

/// A topic with fewer partitions than the task number contributes nothing.
void resolver::add(std::string_view topic, const std::set<std::int32_t>& tasks, topic_partitions& to) {
  const auto* known = image_.find(topic);
  if (known == nullptr) {
    has_failed_ = true;
    return;
  }
  heartbeat_response::topic_partition_data entry;
  for (auto task : tasks) {
    if (task < known->partition_count()) entry.partitions.push_back(task);
  }
  if (entry.partitions.empty()) return;
  entry.topic = topic;
  to.push_back(std::move(entry));
}

}  // namespace
}  // namespace weir::group
