// Checks of a heartbeat that need no group (spec 01, 1.4 and 1.5), in the order of the tables.
#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/java_trim.hpp"
#include "base/limits.hpp"
#include "group/heartbeat/read_request.hpp"
#include "group/topology/patterns.hpp"
#include "group/topology/validate.hpp"

namespace weir::group {
namespace {

using verdict = std::optional<refusal>;

verdict check_topology(const heartbeat_request& request, bool strict_kafka);
verdict check_texts(const heartbeat_request& request);
verdict check_join(const heartbeat_request& request);
verdict check_shape(const heartbeat_request& request);
verdict check_reports(const heartbeat_request& request);

verdict invalid(std::string why) { return refusal{protocol::error_code::invalid_request, std::move(why)}; }

}  // namespace

std::optional<refusal> check_request(const heartbeat_request& request, bool strict_kafka) {
  if (auto bad = check_topology(request, strict_kafka)) return bad;
  if (auto bad = check_texts(request)) return bad;
  if (auto bad = check_join(request)) return bad;
  if (auto bad = check_shape(request)) return bad;
  return check_reports(request);
}

namespace {

verdict check_topology(const heartbeat_request& request, bool strict_kafka) {
  if (!request.topology) return std::nullopt;
  const auto topology = topology_in(*request.topology);
  if (auto bad = check_internal_topics(topology)) return bad;  // F3
  if (auto bad = check_topic_names(topology)) return bad;      // F4
  return strict_kafka ? check_source_regex(topology) : check_patterns(topology);  // V1
}

verdict check_texts(const heartbeat_request& request) {
  if (is_blank(request.member_id)) return invalid("MemberId can't be empty.");  // V2
  if (is_blank(request.group_id)) return invalid("GroupId can't be empty.");  // V3
  if (request.instance_id && is_blank(*request.instance_id)) return invalid("InstanceId can't be empty.");  // V4
  if (request.rack_id && is_blank(*request.rack_id)) return invalid("RackId can't be empty.");  // V5
  return std::nullopt;
}

verdict check_join(const heartbeat_request& request) {
  if (request.member_epoch != 0) return std::nullopt;
  const auto is_empty_list = [](const auto& list) { return list && list->empty(); };
  if (request.rebalance_timeout_ms == -1) return invalid("RebalanceTimeoutMs must be provided when joining.");  // V6
  if (!is_empty_list(request.active_tasks)) return invalid("ActiveTasks must be empty when joining.");  // V7
  if (!is_empty_list(request.standby_tasks)) return invalid("StandbyTasks must be empty when joining.");  // V8
  if (!is_empty_list(request.warmup_tasks)) return invalid("WarmupTasks must be empty when joining.");  // V9
  if (!request.topology) return invalid("Topology must be provided when joining.");  // V10
  return check_changelog_partitions(topology_in(*request.topology));  // V11
}

verdict check_shape(const heartbeat_request& request) {
  if (request.member_epoch == -2 && !request.instance_id) {
    return invalid("InstanceId must be provided to leave temporarily.");  // V12
  }
  if (request.member_epoch < -2) {
    return invalid("MemberEpoch " + std::to_string(request.member_epoch) + " is not valid.");  // V13
  }
  const int present = request.active_tasks.has_value() + request.standby_tasks.has_value() +
                      request.warmup_tasks.has_value();
  if (present == 1 || present == 2) {
    return invalid("ActiveTasks, StandbyTasks and WarmupTasks must be given together or not at all.");  // V14
  }
  if (request.member_epoch != 0 && request.topology) {
    return invalid("Topology can only be provided when joining.");  // V15
  }
  return std::nullopt;
}

using task_report = std::vector<heartbeat_request::task_offset_data>;

/// More than a topology can have; looked for only where there are so many entries.
bool names_too_many_subtopologies(const task_report& list) {
  if (list.size() <= limits::subtopologies_max) return false;
  std::set<std::string_view> ids;
  return std::ranges::any_of(list, [&](const auto& entry) {
    ids.insert(entry.subtopology_id.view());
    return ids.size() > limits::subtopologies_max;
  });
}

/// What is kept of a member, and looked through whenever a target is computed. Kafka has no such limits.
verdict check_report(const std::string& name, const task_report& list) {
  const auto beyond = [&](const std::string& what, std::size_t most) {
    return invalid(name + " has " + what + "; " + std::to_string(most) + " are allowed.");
  };
  if (list.size() > limits::reported_tasks_max) {
    return beyond(std::to_string(list.size()) + " entries", limits::reported_tasks_max);
  }
  std::size_t bytes = 0;
  for (const auto& entry : list) bytes += entry.subtopology_id.view().size();
  if (bytes > limits::reported_id_bytes_max) {
    return beyond(std::to_string(bytes) + " bytes of subtopology ids", limits::reported_id_bytes_max);
  }
  if (names_too_many_subtopologies(list)) return beyond("too many subtopologies", limits::subtopologies_max);
  return std::nullopt;
}

verdict check_reports(const heartbeat_request& request) {
  if (request.task_offsets) {
    if (auto bad = check_report("TaskOffsets", *request.task_offsets)) return bad;
  }
  return request.task_end_offsets ? check_report("TaskEndOffsets", *request.task_end_offsets) : std::nullopt;
}

}  // namespace
}  // namespace weir::group
