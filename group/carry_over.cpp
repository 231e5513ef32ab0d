#include "group/carry_over.hpp"

#include <utility>

namespace weir::group {
namespace {

void carry_over(member_soft& now, member_soft before) {
  // A member that waits for an acknowledgement again needs the deadline that the failed write had cancelled.
  if (!before.rebalance_deadline_ms) {
    before.rebalance_deadline_ms = now.rebalance_deadline_ms;
    before.rebalance_epoch = now.rebalance_epoch;
  }
  if (before.phase != now.phase) before.phase_since_ms.reset();
  before.phase = now.phase;
  now = std::move(before);
}

}  // namespace

void carry_over(streams_group& group, soft_state before) {
  auto& soft = group.soft;
  for (auto& [id, member] : before.members) {
    if (group.members.contains(id)) carry_over(soft.members[id], std::move(member));
  }
  if (soft.state == before.state) soft.state_since_ms = before.state_since_ms;
  soft.near_misses = std::move(before.near_misses);
  soft.commits_refused_of_strangers = before.commits_refused_of_strangers;
  if (!group.members.empty()) {
    // One that a join has started which is undone now would delay nothing.
    const bool has_target = group.target_info.assignment_epoch == group.metadata.epoch;
    if (!has_target) soft.initial_delay_deadline_ms = before.initial_delay_deadline_ms;
    soft.shutdown_requester = std::move(before.shutdown_requester);
    soft.former_topologies = std::move(before.former_topologies);
  }
  soft.endpoint_epoch = before.endpoint_epoch;
  soft.transactions = std::move(before.transactions);
  soft.description = before.description;
}

}  // namespace weir::group
