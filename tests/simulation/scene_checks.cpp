// What must hold between clients and group after every event, and the end of a story: nothing disturbs any longer, and
// the group has to come to rest.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "group/offsets/commit.hpp"
#include "group/topology/patterns.hpp"
#include "tests/simulation/scene.hpp"

namespace weir::simulation {
namespace {

/// Heartbeats of each member that a group may need to settle once the last ghost has expired: joins, acknowledgements
/// and grants of one rebalance after the other.
constexpr int heartbeats_to_settle = 30;
constexpr int quiet_heartbeats = 3;
/// For each task, if one warms up after the other: to restore, to be released and to be granted; and a standby of it.
constexpr int heartbeats_to_warm = 12;
/// After this the last copy of a request has arrived and the last topic has been created.
constexpr int late_things_ms = 7000;
constexpr int late_upgrade_ms = 1000;

template <class Known>
bool all_of(const group::task_set& tasks, Known is_known) {
  return std::ranges::all_of(tasks, [&](const auto& entry) {
    return std::ranges::all_of(entry.second, [&](auto p) { return is_known(entry.first, p); });
  });
}

bool knows_actives(const group::current_assignment& current, const group::task_set& held) {
  return all_of(held, [&](const auto& subtopology, auto p) {
    return group::contains(current.assigned.active, subtopology, p) ||
           group::contains(current.pending_revocation.active, subtopology, p);
  });
}

bool knows_replicas(const group::current_assignment& current, const group::task_set& held) {
  return all_of(held, [&](const auto& subtopology, auto p) {
    const auto has = [&](const group::assigned_tasks& tasks) {
      return group::contains(tasks.standby, subtopology, p) || group::contains(tasks.warmup, subtopology, p) ||
             group::contains(tasks.active, subtopology, p);
    };
    return has(current.assigned) || has(current.pending_revocation);
  });
}

bool knows(const group::current_assignment& current, const group::role_tasks& tasks) {
  return knows_actives(current, tasks.active) && knows_replicas(current, tasks.standby) &&
         knows_replicas(current, tasks.warmup);
}

}  // namespace

void scene::check_clients() {
  clients_changed_ = false;
  changes_checked_ = node_.changes();
  if (!is_node_up_) return;
  for (auto& a : actors_) {
    if (a.machine.is_up() && !a.machine.held().empty()) check_known(a);
  }
  check_fenced();
}

/// What a client holds is assigned to it or pending revocation, so nobody else gets it. A replica may have been given
/// another role of the same member meanwhile (spec 01, 8.3). Out of account: a client that the group has removed and
/// that does not know yet, and one whose report did not tell all, for as long as it holds, or is told to hold, what the
/// group does not know of. Those are fenced.
void scene::check_known(actor& a) {
  const auto& members = node_.state().members;
  const auto found = members.find(a.machine.names().member_id);
  if (found == members.end()) return;
  const auto& current = found->second.current;
  const auto& held = a.machine.held();
  const auto& kept = a.machine.kept();
  const bool knows_held = knows(current, held) && (kept.empty() || knows_actives(current, kept));
  if (knows_held && knows(current, a.machine.wanted())) {
    a.is_misreported = false;
  } else if (!knows_held && !a.is_misreported) {
    throw violation("the group knows what its clients hold",
                    fmt::format("{} holds active {} standby {}, not all of it is assigned or pending", found->first,
                                group::in_words(kept.empty() ? held.active : kept), group::in_words(held.standby)));
  }
}

/// A client can hold a task of an id that its version has not got: it does not read anything for it.
const std::vector<std::string>& scene::read_by(const actor& a, std::string_view subtopology) const {
  static const std::vector<std::string> nothing;
  const auto& inputs = plan_.inputs[a.running_version];
  const auto found = inputs.find(subtopology);
  return found == inputs.end() ? nothing : found->second;
}

/// Of all clients that read a partition for an active task, of whatever version, zombies and misreported ones too, at
/// most one could commit for it. Not with strict.kafka for a client whose report did not tell all: Kafka never repeats
/// an answer that was lost (X2), so a slow client takes up what it has been seen to give back, at a good epoch.
void scene::check_fenced() const {
  std::map<std::pair<std::string_view, std::int32_t>, const actor*> committers;
  const auto may_commit = [&](const actor& a, std::string_view topic, std::int32_t partition) {
    const auto& names = a.machine.names();
    return !group::check_commit(node_.state(), {.member_id = names.member_id,
                                                .instance_id = names.instance_id,
                                                .member_epoch = a.machine.epoch(),
                                                .strict_kafka = plan_.strict_kafka,
                                                .partitions = {{topic, partition}}});
  };
  const auto take = [&](const actor& a, std::string_view topic, std::int32_t p) {
    auto [entry, is_first] = committers.try_emplace({topic, p}, &a);
    if (is_first || !may_commit(a, topic, p)) return;
    if (may_commit(*entry->second, topic, p)) {
      throw violation("one active owner",
                      fmt::format("{} and {} both read partition {} of {} and could commit",
                                  entry->second->machine.names().member_id, a.machine.names().member_id, p, topic));
    }
    entry->second = &a;
  };
  for (const auto& a : actors_) {
    if (!a.machine.is_up() || (plan_.strict_kafka && a.is_misreported)) continue;
    for (const auto& [subtopology, partitions] : a.machine.held().active) {
      for (const auto& topic : read_by(a, subtopology)) {
        for (auto p : partitions) take(a, topic, p);
      }
    }
  }
}

void scene::settle() {
  end_disturbances();
  trace_.add(now_ms_, [] { return std::string("nothing disturbs any longer"); });
  const auto& config = node_.config();
  std::int32_t rebalance_ms = 0;
  for (const auto& t : plan_.threads) rebalance_ms = std::max(rebalance_ms, t.rebalance_timeout_ms);
  const auto limit_ms = now_ms_ + plan_.broker.max_session_timeout_ms / 4 + config.session_timeout_ms + rebalance_ms +
                        config.initial_rebalance_delay_ms + config.assignment_interval_ms +
                        std::int64_t{heartbeats_to_settle} * config.heartbeat_interval_ms +
                        heartbeats_to_warm * static_cast<std::int64_t>(tasks_expected()) * config.heartbeat_interval_ms;
  run_until(now_ms_ + late_things_ms);
  // Some may have been made for numbers of partitions that no longer hold; they are made anew.
  for (const auto& topic : plan_.internal_topics) remove_topic(topic);
  std::string why;
  do {
    run_until(now_ms_ + 2 * config.heartbeat_interval_ms);
    why = why_unsettled();
  } while (!why.empty() && now_ms_ < limit_ms);
  if (!why.empty()) throw violation("every group settles", why);
  const auto changes = node_.changes();
  run_until(now_ms_ + std::int64_t{quiet_heartbeats} * config.heartbeat_interval_ms);
  if (node_.changes() != changes) throw violation("every group settles", "it goes on changing when it is stable");
}

/// The application's operators put right what the clients cannot.
void scene::end_disturbances() {
  ++node_lives_;
  if (!is_node_up_) node_.restart(now_ms_);
  is_node_up_ = true;
  writes_to_fail_ = 0;
  stalled_until_ms_ = creation_refused_until_ms_ = 0;
  for (const auto& source : plan_.sources) put_topic(source.name, source.partitions);
  for (auto& a : actors_) {
    a.loses_request = a.loses_answer = false;
    a.copies_after_ms.reset();
    a.cut_until_ms = 0;
    a.slow_ms.reset();
    if (a.machine.is_up() && a.machine.is_reconciling()) finish_reconciliation(a);
  }
  if (broken_ != defect::upgrade_unfinished) {
    for (int process = 0; process < plan_.processes; ++process) deploy(process, newest_version(), late_upgrade_ms);
  }
  arm_disk();
}

/// Empty if the group has come to rest: STABLE, every member a live client that holds what it is assigned, every task
/// held, and everybody in who may.
std::string scene::why_unsettled() const {
  if (auto why = why_clients_unsettled(); !why.empty()) return why;
  const auto& group = node_.state();
  if (group.members.empty()) return {};
  const auto state = group::state_of(group);
  if (state != group::group_state::stable) return "state " + std::string(group::name(state));
  std::size_t active = 0;
  for (const auto& [id, m] : group.members) active += group::count(m.current.assigned.active);
  if (active != tasks_expected()) return fmt::format("{} of {} tasks are active", active, tasks_expected());
  const auto waiting = group.soft.interim == nullptr ? 0 : group.soft.interim->waiting;
  if (waiting > 0) return fmt::format("{} tasks wait for warm-ups", waiting);
  return why_not_newest();
}

/// Empty if all run the newest topology, and the group knows the topics that it reads now.
std::string scene::why_not_newest() const {
  const auto& group = node_.state();
  const auto newest = static_cast<std::int32_t>(newest_version());
  if (group.topology->epoch != newest) return fmt::format("the group is at topology epoch {}", group.topology->epoch);
  for (const auto& [id, m] : group.members) {
    if (m.metadata.topology_epoch != newest) return fmt::format("{} runs topology {}", id, m.metadata.topology_epoch);
  }
  metadata::hash_cache hashes;
  const auto matches = group::match_patterns(*group.topology, *node_.image(), nullptr, false);
  if (!matches) return "its patterns cannot be used";
  const auto required = group::required_topics(group::resolve(*group.topology, matches->get()).plain);
  if (hashes.group_hash(*node_.image(), required) != group.metadata.metadata_hash) return "its topics have changed";
  return {};
}

/// X2: in Kafka an answer that was lost is not repeated.
bool scene::holds_what_it_can_know(const actor& a, const group::member& as) const {
  return plan_.strict_kafka || a.misses_grant || group::without_epochs(as.current.assigned) == a.machine.held();
}

std::string scene::why_clients_unsettled() const {
  const auto& group = node_.state();
  std::size_t in_group = 0;
  std::size_t up = 0;  // or soon
  for (const auto& a : actors_) {
    up += a.machine.is_up() || (a.is_restarting && !a.stays_down) ? 1 : 0;
    const auto found = a.machine.is_up() ? group.members.find(a.machine.names().member_id) : group.members.end();
    if (found == group.members.end()) continue;
    ++in_group;
    if (!holds_what_it_can_know(a, found->second)) return found->first + " does not hold what it is assigned";
  }
  if (in_group != group.members.size()) return "members that no client stands for";
  const bool is_full = group.members.size() >= static_cast<std::size_t>(plan_.max_size);
  if (in_group < up && !is_full) return "clients that are not in the group";
  return {};
}

std::size_t scene::tasks_expected() const {
  return tasks_of(plan_, newest_version());
}

}  // namespace weir::simulation
