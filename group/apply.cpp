// apply: the only mutation of a group's state. Tolerant (spec 04, 8.5): any sequence of records gives a consistent
// group.
#include <utility>

#include "base/java_hash.hpp"
#include "base/limits.hpp"
#include "group/heartbeat/holders.hpp"
#include "group/streams_group.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

void apply_record(streams_group& group, const group_metadata_record& r);
void apply_record(streams_group& group, const member_metadata_record& r);
void apply_record(streams_group& group, const target_metadata_record& r);
void apply_record(streams_group& group, const target_member_record& r);
void apply_record(streams_group& group, const current_assignment_record& r);
void apply_record(streams_group& group, const topology_record& r);
void apply_record(streams_group& group, const offset_record& r);
void apply_record(streams_group& group, const classic_group_record& r);
void apply_record(streams_group& group, const topology_description_record& r);
void apply_record(streams_group& group, const consumer_group_record& r);
void apply_to_member(streams_group& group, const soft_update& update);
void apply_to_interim(streams_group& group, const soft_update& update);
void keep_configured(soft_state& soft, const soft_update& update);
void keep_near_miss(std::vector<near_miss>& into, near_miss seen);
void apply_to_other_kinds(soft_state& soft, const soft_update& update);
void remember(streams_group& group, const former_version& former);

}  // namespace

void apply(streams_group& group, const record& r) {
  std::visit([&](const auto& any) { apply_record(group, any); }, r);
}

void apply(streams_group& group, const soft_update& update) {
  auto& soft = group.soft;
  apply_to_member(group, update);
  apply_to_interim(group, update);
  if (update.cancel_initial_delay) soft.initial_delay_deadline_ms.reset();
  if (update.initial_delay_deadline_ms) soft.initial_delay_deadline_ms = update.initial_delay_deadline_ms;
  if (update.bump_endpoint_epoch) ++soft.endpoint_epoch;
  if (update.shutdown_requester && !soft.shutdown_requester) soft.shutdown_requester = update.shutdown_requester;
  keep_configured(soft, update);
  if (update.near_miss_seen) keep_near_miss(soft.near_misses, *update.near_miss_seen);
  for (const auto& change : update.transactions) soft.transactions.take(change);
  apply_to_other_kinds(soft, update);
  if (update.former.topology) remember(group, update.former);
  if (update.description) soft.description = *update.description;
}

namespace {

void keep_configured(soft_state& soft, const soft_update& update) {
  if (update.configured) soft.configured = update.configured;
  if (update.trying) soft.trying = update.trying->untried > 0 ? update.trying : std::nullopt;
  if (update.matches) {
    soft.matches = update.matches;
    soft.trying.reset();
  }
  if (!update.refresh_deadline_ms) return;
  soft.refresh_deadline_ms = *update.refresh_deadline_ms;
  soft.refresh_epoch = update.refresh_epoch;
}

void keep_near_miss(std::vector<near_miss>& into, near_miss seen) {
  if (into.size() == near_misses_max) into.erase(into.begin());
  into.push_back(std::move(seen));
}

/// Single requests change nothing but the session of a classic or consumer member.
template <class Members>
void restart_session(Members& all, const soft_update& update) {
  const auto member = all.find(update.member_id.view());
  if (member == all.end() || !update.session_deadline_ms) return;
  member->second.session_deadline_ms = *update.session_deadline_ms;
}

void apply_to_other_kinds(soft_state& soft, const soft_update& update) {
  if (update.classic) soft.classic = *update.classic;
  for (const auto& step : update.classic_steps) soft.classic.take(step);
  if (update.consumer) soft.consumer.take(*update.consumer);
}

void take_report(member_soft& soft, const soft_update& update) {
  if (update.names_active) soft.names_active = *update.names_active;
  if (update.offsets || update.end_offsets) soft.reports_offsets = true;
  if (update.offsets) soft.offsets = *update.offsets;
  if (update.end_offsets) soft.end_offsets = *update.end_offsets;
}

/// The time out of an update that restarts a session is what lies between its two times.
void note_if_late(std::vector<near_miss>& into, const member_soft& before, const soft_update& update) {
  if (!before.session_deadline_ms || !update.session_deadline_ms || !update.heard_ms) return;
  const auto limit_ms = *update.session_deadline_ms - *update.heard_ms;
  const auto left_ms = *before.session_deadline_ms - *update.heard_ms;
  auto seen = near_miss_of(near_miss::kind::late_heartbeat, update.member_id, *update.heard_ms, left_ms, limit_ms);
  if (seen) keep_near_miss(into, *std::move(seen));
}

void note_phase(member_soft& soft, const current_assignment& current, std::int64_t now_ms) {
  const auto phase = phase_of(current);
  if (soft.phase == phase) return;
  soft.phase = phase;
  soft.phase_since_ms = now_ms;
}

void apply_to_member(streams_group& group, const soft_update& update) {
  const auto known = group.members.find(update.member_id.view());
  if (known == group.members.end()) {
    restart_session(group.soft.classic.members, update);
    return restart_session(group.soft.consumer.members, update);
  }
  auto found = group.soft.members.find(update.member_id.view());
  if (found == group.soft.members.end()) found = group.soft.members.try_emplace(update.member_id.str()).first;
  auto& soft = found->second;
  note_if_late(group.soft.near_misses, soft, update);
  if (update.heard_ms) note_phase(soft, known->second.current, *update.heard_ms);
  if (update.session_deadline_ms) soft.session_deadline_ms = update.session_deadline_ms;
  if (update.cancel_rebalance) soft.rebalance_deadline_ms.reset();
  if (update.rebalance_deadline_ms) {
    soft.rebalance_deadline_ms = update.rebalance_deadline_ms;
    soft.rebalance_epoch = update.rebalance_epoch;
  }
  if (update.heard_ms && !soft.first_heard_ms) soft.first_heard_ms = update.heard_ms;
  take_report(soft, update);
}

void apply_to_interim(streams_group& group, const soft_update& update) {
  if (update.interim) group.soft.interim = *update.interim;
  if (update.interim_has_news) group.soft.interim_has_news = *update.interim_has_news;
}

/// Those that nobody runs any longer are forgotten, and one too many is not remembered.
void remember(streams_group& group, const former_version& former) {
  auto& all = group.soft.former_topologies;
  std::erase_if(all, [&](const auto& entry) { return count_of_version(group, entry.first) == 0; });
  const auto epoch = former.topology->epoch;
  if (all.size() < limits::former_topologies_max || all.contains(epoch)) all.insert_or_assign(epoch, former);
}

/// Changes what decides about a member's holdings and keeps the holder maps equal to a recomputation.
template <class Change>
void change_holdings(streams_group& group, const member& changed, Change change) {
  const bool incremental = is_exclusive(group.held);
  if (incremental) release(group.held, changed.metadata.process_id, changed.current);
  change();
  if (incremental) hold(group.held, changed.metadata.process_id, changed.current);
  if (!is_exclusive(group.held) || !incremental) group.held = held_by(group.members);
}

/// Members are made and lost through these, so that they are counted.
void count_member(streams_group& group, std::int32_t topology_epoch) { ++group.members_by_topology[topology_epoch]; }

void discount_member(streams_group& group, std::int32_t topology_epoch) {
  const auto found = group.members_by_topology.find(topology_epoch);
  if (--found->second == 0) group.members_by_topology.erase(found);
}

member& member_of(streams_group& group, const std::string& member_id) {
  const auto [found, is_new] = group.members.try_emplace(member_id);
  if (is_new) {
    count_member(group, found->second.metadata.topology_epoch);
    found->second.id_hash = java_hash(member_id);
  }
  return found->second;
}

void drop_instance(streams_group& group, const std::string& member_id, const std::optional<std::string>& instance_id) {
  if (!instance_id) return;
  auto found = group.static_members.find(*instance_id);
  if (found != group.static_members.end() && found->second == member_id) group.static_members.erase(found);
}

void drop_member(streams_group& group, const std::string& member_id) {
  auto found = group.members.find(member_id);
  if (found == group.members.end()) return;
  auto& member = found->second;
  change_holdings(group, member, [&] { member.current = {}; });
  drop_instance(group, member_id, member.metadata.instance_id);
  discount_member(group, member.metadata.topology_epoch);
  group.members.erase(found);
  group.targets.erase(member_id);
  group.soft.members.erase(member_id);
  // Spec 01, 6.1: becoming EMPTY forgets who asked for shutdown, even if a replacement follows at once.
  if (group.members.empty()) group.soft.shutdown_requester.reset();
}

/// What is stored under the id besides a streams group. Of two kinds the consumer group counts.
group_kind kind_besides_streams(const streams_group& group) {
  if (group.consumer) return group_kind::consumer;
  return group.offsets.empty() && !group.classic ? group_kind::none : group_kind::simple;
}

void follow_kind(streams_group& group) {
  if (group.kind != group_kind::streams) group.kind = kind_besides_streams(group);
}

/// Everything but the offsets goes (spec 04, 8.5).
void drop_group(streams_group& group) {
  streams_group bare;
  bare.id = std::move(group.id);
  bare.offsets = std::move(group.offsets);
  bare.classic = std::move(group.classic);
  bare.consumer = group.consumer;
  bare.soft.consumer = std::move(group.soft.consumer);
  bare.kind = kind_besides_streams(bare);
  bare.soft.transactions = std::move(group.soft.transactions);
  group = std::move(bare);
}

void apply_record(streams_group& group, const group_metadata_record& r) {
  if (!r.value) {
    if (group.kind == group_kind::streams) drop_group(group);
    return;
  }
  group.kind = group_kind::streams;
  group.metadata = *r.value;
  group.metadata_seen = true;
}

void apply_record(streams_group& group, const member_metadata_record& r) {
  if (!r.value) return drop_member(group, r.member_id);
  group.kind = group_kind::streams;
  auto& member = member_of(group, r.member_id);
  drop_instance(group, r.member_id, member.metadata.instance_id);
  discount_member(group, member.metadata.topology_epoch);
  count_member(group, r.value->topology_epoch);
  if (member.metadata.process_id == r.value->process_id) {
    member.metadata = *r.value;
  } else {
    change_holdings(group, member, [&] { member.metadata = *r.value; });
    member.process_hash = java_hash(r.value->process_id);
  }
  member.metadata_seen = true;
  if (r.value->instance_id) group.static_members[*r.value->instance_id] = r.member_id;
}

void apply_record(streams_group& group, const target_metadata_record& r) {
  if (!r.value) {
    if (group.kind == group_kind::streams) group.target_info = {.assignment_epoch = -1, .assignment_timestamp_ms = 0};
    return;
  }
  group.kind = group_kind::streams;
  group.target_info = *r.value;
}

void apply_record(streams_group& group, const target_member_record& r) {
  if (!r.value) {
    group.targets.erase(r.member_id);
    return;
  }
  group.kind = group_kind::streams;
  group.targets[r.member_id] = *r.value;
}

void apply_record(streams_group& group, const current_assignment_record& r) {
  if (!r.value) {
    auto found = group.members.find(r.member_id);
    if (found == group.members.end()) return;
    auto& member = found->second;
    change_holdings(group, member, [&] {
      member.current = {};
      member.current.member_epoch = -1;
      member.current.previous_member_epoch = -1;
    });
    member.current_seen = false;
    return;
  }
  group.kind = group_kind::streams;
  auto& member = member_of(group, r.member_id);
  change_holdings(group, member, [&] { member.current = *r.value; });
  member.current_seen = true;
}

void apply_record(streams_group& group, const topology_record& r) {
  group.soft.configured.reset();
  group.soft.matches.reset();
  group.soft.trying.reset();
  group.topology = r.value;
  group.required_topics = r.value ? required_topics(*r.value) : std::set<std::string>();
  group.reads_patterns = r.value && reads_patterns(*r.value);
  if (r.value) {
    group.kind = group_kind::streams;
  } else if (group.kind == group_kind::streams && !group.metadata_seen && group.members.empty() &&
             group.targets.empty()) {
    drop_group(group);  // the end of a deletion whose other tombstones have been compacted away
  }
}

void apply_record(streams_group& group, const offset_record& r) {
  if (r.value) {
    group.offsets[r.topic][r.partition] = *r.value;
    group.soft.transactions.supersede(r.topic, r.partition);
    return follow_kind(group);
  }
  group.soft.transactions.forget(r.topic, r.partition);
  auto found = group.offsets.find(r.topic);
  if (found == group.offsets.end()) return;
  found->second.erase(r.partition);
  if (found->second.empty()) group.offsets.erase(found);
  follow_kind(group);
}

/// In the order of the store this record comes before those of a streams group, which then win (spec 04, 8.5).
void apply_record(streams_group& group, const classic_group_record& r) {
  group.classic = r.value;
  if (r.value) {
    follow_kind(group);
    group.soft.classic.protocol_type = r.value->protocol_type;
    group.soft.classic.generation = r.value->generation;
    return;
  }
  group.soft.classic = {};
  follow_kind(group);
}

/// Of a group without members, every epoch has been assigned.
void apply_record(streams_group& group, const consumer_group_record& r) {
  group.consumer = r.value;
  follow_kind(group);
  if (!r.value) group.soft.consumer = {};
  if (!r.value || !group.soft.consumer.members.empty()) return;
  auto none = std::make_shared<consumer_assignment>();
  none->epoch = r.value->epoch;
  group.soft.consumer.assignment = std::move(none);
}

void apply_record(streams_group& group, const topology_description_record& r) { group.description = r.value; }

}  // namespace
}  // namespace weir::group
