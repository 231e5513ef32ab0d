// The way of a member to its target (KIP-848): it gives up before it gets, and gets only what nobody else holds.
#include "group/consumer/step.hpp"

namespace weir::group {
namespace {

using owned_partitions = std::optional<std::vector<consumer_request::topic_partitions_data>>;

/// Whether the member may still have some of them; one that does not say may have all.
bool may_own(const owned_partitions& owned, const partition_epochs& some) {
  if (!owned) return !some.empty();
  for (const auto& topic : *owned) {
    for (const auto partition : topic.partitions) {
      if (contains(some, topic.topic_id, partition)) return true;
    }
  }
  return false;
}

struct consumer_moves {
  partition_epochs keep;
  partition_epochs drop;
  partition_epochs add;
  bool is_waiting = false;  // somebody holds what it is to get
};

/// Of one member: what stays, goes and comes. It keeps and gets only what it wants.
consumer_moves plan_moves(const consumer_member& member, const partition_set& target, const consumer_call& c,
                          const settled_group& settled) {
  const auto is_wanted = [&](const uuid& topic_id) {
    return wants_topic(*member.subscription, *settled.matched, c.world.image, topic_id);
  };
  consumer_moves moves;
  for (const auto& [topic_id, partitions] : member.assigned) {
    const bool stays = is_wanted(topic_id);
    for (const auto& [partition, epoch] : partitions) {
      auto& to = stays && contains(target, topic_id, partition) ? moves.keep : moves.drop;
      to[topic_id].emplace(partition, epoch);
    }
  }
  for (const auto& [topic_id, partitions] : target) {
    if (!is_wanted(topic_id)) continue;
    for (const auto partition : partitions) {
      if (contains(member.assigned, topic_id, partition)) continue;
      if (c.members().is_held(topic_id, partition)) {
        moves.is_waiting = true;
      } else {
        moves.add[topic_id].emplace(partition, settled.assignment->epoch);
      }
    }
  }
  return moves;
}

bool is_where(const consumer_member& a, const consumer_member& b) {
  return a.state == b.state && a.epoch == b.epoch && a.assigned == b.assigned &&
         a.pending_revocation == b.pending_revocation;
}

}  // namespace

void reconcile_consumer(consumer_member& member, std::string_view member_id, const consumer_call& c,
                        const settled_group& settled, bool is_due) {
  using state = consumer_member_state;
  const auto& assignment = *settled.assignment;
  if (member.state == state::stable && member.epoch == assignment.epoch && !is_due) return;
  if (member.state == state::unrevoked_partitions && may_own(c.request.topic_partitions, member.pending_revocation)) {
    return;
  }
  auto moves = plan_moves(member, assignment.target_of(member_id), c, settled);
  auto next = member;
  next.previous_epoch = member.epoch;
  if (may_own(c.request.topic_partitions, moves.drop)) {
    next.state = state::unrevoked_partitions;
    next.assigned = std::move(moves.keep);
    next.pending_revocation = std::move(moves.drop);
  } else {
    next.state = moves.is_waiting ? state::unreleased_partitions : state::stable;
    next.epoch = assignment.epoch;
    next.assigned = std::move(moves.keep);
    for (auto& [topic_id, partitions] : moves.add) next.assigned[topic_id].merge(partitions);
    next.pending_revocation.clear();
  }
  if (!is_where(member, next)) member = std::move(next);
}

}  // namespace weir::group
