#include "group/heartbeat/answer.hpp"

#include <string>

#include "group/heartbeat/endpoints.hpp"
#include "group/topology/some_names.hpp"

namespace weir::group {
namespace {

using status_list = std::vector<heartbeat_response::status_data>;
using task_list = std::vector<heartbeat_response::task_ids_data>;

status_list statuses(const call& c, const decisions& made);
bool tells_tasks(const call& c, const decisions& made);
template <class Tasks>
task_list listed(const Tasks& tasks);
std::int32_t endpoint_epoch(const call& c, const decisions& made);

}  // namespace

checked<heartbeat_response> answer(const call& c, const decisions& made) {
  const auto& config = c.world.config;
  heartbeat_response response;
  response.member_id = c.request.member_id;
  response.member_epoch = made.current().member_epoch;
  response.heartbeat_interval_ms = config.heartbeat_interval_ms;
  response.task_offset_interval_ms = config.task_offset_interval_ms;
  if (c.context.version >= 1) response.acceptable_recovery_lag = config.acceptable_recovery_lag;
  response.status = statuses(c, made);
  if (tells_tasks(c, made)) {
    const auto& assigned = made.current().assigned;
    response.active_tasks = listed(assigned.active);
    response.standby_tasks = listed(assigned.standby);
    response.warmup_tasks = listed(assigned.warmup);
  }
  response.endpoint_information_epoch = endpoint_epoch(c, made);
  // The heartbeat that creates the group is answered with epoch 0, but it is told what there is (X3).
  const auto real_epoch = c.group.soft.endpoint_epoch + (made.bumps_endpoint_epoch ? 1 : 0);
  if (real_epoch != c.request.endpoint_information_epoch) {
    auto endpoints = list_endpoints(c, made.change.after(made.member.before()), made.current().assigned,
                                    made.member.replaced_id, made.topology.configured.get());
    if (!endpoints) return tl::unexpected(endpoints.error());
    response.partitions_by_user_endpoint = std::move(*endpoints);
  }
  return response;
}

heartbeat_response answer_to_leave(const heartbeat_request& request) {
  heartbeat_response response;
  response.member_id = request.member_id;
  response.member_epoch = request.member_epoch;
  return response;
}

heartbeat_response refused(protocol::error_code code, std::string_view why) {
  heartbeat_response response;
  response.error_code = protocol::code_of(code);
  if (!why.empty() || code != protocol::error_code::unknown_server_error) response.error_message = text(why);
  return response;
}

namespace {

std::string missing_tags(const group_config& config, const member_metadata& member) {
  std::string missing;
  for (const auto& tag : config.rack_aware_assignment_tags) {
    if (!member.client_tags.contains(tag)) missing += (missing.empty() ? "" : ", ") + tag;
  }
  return missing;
}

/// What is wrong with the newer topology must not end those who still run the older one (11.3).
const topology_problem* problem_of(const call& c, const topology_plan& topology) {
  if (topology.is_stale && !c.world.strict_kafka) return nullptr;
  return topology.configured && topology.configured->problem ? &*topology.configured->problem : nullptr;
}

/// 5.4: 0, 5, one of 1 to 3, 4, 6.
status_list statuses(const call& c, const decisions& made) {
  status_list list;
  const auto add = [&](std::int8_t code, text detail) {
    heartbeat_response::status_data status;
    status.status_code = code;
    status.status_detail = std::move(detail);
    list.push_back(std::move(status));
  };
  const auto& member = made.change.after(made.member.before());
  if (made.topology.is_stale) add(0, "The member's topology is older than the group's.");
  if (made.target.postponed == postponement::initial_delay) {
    add(5, "Assignment delayed: the group waits for more members to join.");
  }
  if (made.target.postponed == postponement::assignment_interval) {
    add(5, "Assignment delayed: the assignment interval is not over.");
  }
  if (const auto* problem = problem_of(c, made.topology)) add(problem->status, text(problem->detail));
  if (c.group.soft.shutdown_requester || c.request.shutdown_application) {
    const std::string requester = c.group.soft.shutdown_requester.value_or(c.request.member_id.str());
    add(4, text("Member " + requester + " asked for the application to be shut down."));
  }
  if (c.context.version >= 1 && !c.world.config.rack_aware_assignment_tags.empty()) {
    if (auto missing = missing_tags(c.world.config, member); !missing.empty()) {
      add(6, text("The member lacks client tags: " + missing));
    }
  }
  return list;
}

/// A revocation ends with any report without the tasks. A member that has not named a task before either may never have
/// taken them up, not know that they are taken back, and take them up later.
bool may_not_know(const call& c, const current_assignment& before, const owned_report& owned) {
  if (before.state != member_state::unrevoked_tasks || !owned.tasks.active.empty()) return false;
  const auto soft = c.group.soft.members.find(c.request.member_id.view());
  return soft == c.group.soft.members.end() || !soft->second.names_active;
}

/// 5.2; what is not for strict.kafka repeats an answer that may have been lost (X2).
bool tells_tasks(const call& c, const decisions& made) {
  if (c.is_join() || made.changes_assigned()) return true;
  if (c.world.strict_kafka) return false;
  const auto& before = made.member.before().current;
  if (c.request.member_epoch != before.member_epoch) return true;  // the previous epoch
  const auto& current = made.current();
  if (!made.owned || current.state == member_state::unrevoked_tasks) return false;
  if (may_not_know(c, before, *made.owned)) return true;
  const auto& owned = made.owned->tasks;
  return !same_tasks(current.assigned.active, owned.active) || owned.standby != current.assigned.standby ||
         owned.warmup != current.assigned.warmup;
}

std::int32_t number_of(std::int32_t partition) { return partition; }
std::int32_t number_of(const std::pair<const std::int32_t, std::int32_t>& task) { return task.first; }

template <class Tasks>
task_list listed(const Tasks& tasks) {
  task_list list;
  list.reserve(tasks.size());
  for (const auto& [subtopology, partitions] : tasks) {
    heartbeat_response::task_ids_data entry;
    entry.subtopology_id = subtopology;
    entry.partitions.reserve(partitions.size());
    for (const auto& task : partitions) entry.partitions.push_back(number_of(task));
    list.push_back(std::move(entry));
  }
  return list;
}

std::int32_t endpoint_epoch(const call& c, const decisions& made) {
  if (c.starts_from_nothing()) return 0;
  return c.group.soft.endpoint_epoch + (made.bumps_endpoint_epoch ? 1 : 0);
}

}  // namespace
}  // namespace weir::group
