// A group's wake-up: members whose time is over, and the end of the initial delay (spec 01, 7.2 and section 9).
#include "group/heartbeat/leave.hpp"
#include "group/heartbeat/target_now.hpp"

namespace weir::group {
namespace {

bool is_due(std::optional<std::int64_t> deadline, std::int64_t now_ms) { return deadline && *deadline <= now_ms; }
change_outcome forget_rebalance(const std::string& member_id);
change_outcome end_initial_delay(const streams_group& group, const world& world);

}  // namespace

change_outcome on_deadline(const streams_group& group, const world& world) {
  for (const auto& [id, soft] : group.soft.members) {
    if (is_due(soft.session_deadline_ms, world.now_ms)) {
      return remove_member(group, id, cause::session_expired, world.now_ms);
    }
    if (!is_due(soft.rebalance_deadline_ms, world.now_ms)) continue;
    const auto& current = group.members.at(id).current;
    if (current.member_epoch != soft.rebalance_epoch) return forget_rebalance(id);
    return remove_member(group, id, cause::rebalance_expired, world.now_ms);
  }
  if (is_due(group.soft.initial_delay_deadline_ms, world.now_ms)) return end_initial_delay(group, world);
  return {};
}

namespace {

/// The member has moved on since the timer started.
change_outcome forget_rebalance(const std::string& member_id) {
  change_outcome outcome;
  auto& soft = outcome.soft.emplace_back();
  soft.member_id = text(member_id);
  soft.cancel_rebalance = true;
  return outcome;
}

/// Not retried on failure: then the next heartbeat computes.
change_outcome end_initial_delay(const streams_group& group, const world& world) {
  change_outcome outcome;
  outcome.soft.emplace_back().cancel_initial_delay = true;
  const auto* configured = group.soft.configured.get();
  const bool is_current = group.target_info.assignment_epoch >= group.metadata.epoch;
  if (group.members.empty() || configured == nullptr || is_current || is_within_interval(group, world)) return outcome;

  add_target(group, {.configured = configured,
                     .assignment_configs = group.metadata.assignment_configs,
                     .group_epoch = group.metadata.epoch}, world, outcome);
  return outcome;
}

}  // namespace
}  // namespace weir::group
