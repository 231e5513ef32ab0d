#include "group/waiting_for.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "group/versions.hpp"
#include "group/waiting_parts.hpp"

namespace weir::group {
namespace {

std::string remaining(std::int64_t deadline_ms, std::int64_t now_ms) {
  return std::to_string(std::max<std::int64_t>(deadline_ms - now_ms, 0)) + " ms";
}

/// One for each topic; the sentence names them all.
wait_list for_topics(const topology_problem& problem) {
  wait_list out;
  for (const auto& topic : problem.topics) {
    auto& one = out.emplace_back(because(waiting_reason::missing_topics, "topics: " + problem.detail));
    one.topic = topic.name;
    if (topic.expected > 0) one.expected_partitions = topic.expected;
    if (topic.found > 0) one.found_partitions = topic.found;
  }
  if (out.empty()) out.push_back(because(waiting_reason::missing_topics, "topics: " + problem.detail));
  return out;
}

wait_list until_ready(const streams_group& group, std::int64_t now_ms) {
  const auto found = [&] {
    if (!group.topology) {
      return wait_list{because(waiting_reason::no_topology, "the topology: no member has sent one")};
    }
    const auto* configured = group.soft.configured.get();
    if (configured != nullptr && configured->problem) return for_topics(*configured->problem);
    return wait_list{because(waiting_reason::unvalidated,
                             configured == nullptr
                                 ? "a heartbeat of any member, which checks the topology's topics"
                                 : "a heartbeat of any member, which takes note that the topics are in order")};
  };
  auto out = found();
  for (auto& one : out) {
    if (group.soft.state_since_ms) one.since_ms = now_ms - *group.soft.state_since_ms;
  }
  return out;
}

wait_list until_assigned(const streams_group& group, const group_config& config, std::int64_t now_ms) {
  waiting out;
  if (const auto deadline = group.soft.initial_delay_deadline_ms; deadline && *deadline > now_ms) {
    out = because(waiting_reason::initial_delay,
                  "more members: the initial rebalance delay ends in " + remaining(*deadline, now_ms));
    out.ends_in_ms = *deadline - now_ms;
  } else {
    out = because(
        waiting_reason::assignment_interval,
        "a heartbeat of any member after the assignment interval, which computes the target for group epoch " +
            std::to_string(group.metadata.epoch));
    const auto computed_ms = group.target_info.assignment_timestamp_ms;
    if (computed_ms != 0) {
      out.ends_in_ms = std::max<std::int64_t>(computed_ms + config.assignment_interval_ms - now_ms, 0);
    }
  }
  if (group.soft.state_since_ms) out.since_ms = now_ms - *group.soft.state_since_ms;
  return {std::move(out)};
}

std::optional<std::int64_t> lag_of(const streams_group& group, const std::string& id, const task_id& task) {
  const auto soft = group.soft.members.find(id);
  return soft == group.soft.members.end() ? std::nullopt : lag_of(soft->second, task.first, task.second);
}

/// Since when the process of the member warms the task up; nothing if that is not known.
std::optional<std::int64_t> warms_up_for_ms(const streams_group& group, const std::string& id, const task_id& task,
                                            std::int64_t now_ms) {
  const auto member = group.members.find(id);
  if (member == group.members.end()) return std::nullopt;
  for (const auto& watch : group.soft.interim->watches) {
    const bool is_it = watch.runs && watch.subtopology_id == task.first && watch.partition == task.second &&
                       watch.process_id == member->second.metadata.process_id;
    if (is_it) return std::max<std::int64_t>(now_ms - watch.began_ms, 0);
  }
  return std::nullopt;
}

waiting one_warm_up(const streams_group& group, const std::string& id, const task_id& task, const std::string* owner,
                    std::int64_t now_ms) {
  auto out = because(waiting_reason::warm_up, {});
  const auto name = task_name(task.first, task.second);
  out.member_id = id;
  out.tasks = {name};
  if (owner != nullptr) out.holder = *owner;
  out.lag = lag_of(group, id, task);
  out.since_ms = warms_up_for_ms(group, id, task, now_ms);
  out.text = "task " + name + " to be restored by member " + id;
  if (out.lag) out.text += ", which is " + std::to_string(*out.lag) + " records behind";
  if (out.since_ms) out.text += "; since " + std::to_string(*out.since_ms) + " ms";
  if (owner != nullptr) out.text += "; meanwhile it runs at " + *owner;
  return out;
}

/// Of a STABLE group: each warm-up with who has the task meanwhile, then how many wait for their turn.
wait_list until_warm(const streams_group& group, std::int64_t now_ms) {
  const auto* step = group.soft.interim.get();
  if (step == nullptr || step->waiting == 0) return {};
  std::map<task_id, const std::string*> owners;
  for (const auto& [id, member] : group.members) {
    for (const auto& [subtopology, partitions] : member.current.assigned.active) {
      for (const auto& [partition, epoch] : partitions) owners[{subtopology, partition}] = &id;
    }
  }
  wait_list out;
  for (const auto& [id, tasks] : step->members) {
    for (const auto& [subtopology, partitions] : tasks.warmup) {
      for (const auto partition : partitions) {
        if (out.size() >= waiting_list_max) return out;
        const auto owner = owners.find({subtopology, partition});
        out.push_back(one_warm_up(group, id, {subtopology, partition},
                                  owner == owners.end() ? nullptr : owner->second, now_ms));
      }
    }
  }
  if (step->waiting > out.size()) {
    out.push_back(because(waiting_reason::warm_up,
                          std::to_string(step->waiting - out.size()) +
                              " more tasks for their turn to be restored by the members that shall have them; they run "
                              "where they are meanwhile"));
  }
  return out;
}

wait_list waits_of_state(const streams_group& group, const group_config& config, std::int64_t now_ms) {
  switch (state_of(group)) {
    case group_state::not_ready: return until_ready(group, now_ms);
    case group_state::assigning: return until_assigned(group, config, now_ms);
    case group_state::reconciling: return waits_of_reconciliation(group, now_ms);
    case group_state::stable: return until_warm(group, now_ms);
    default: return {};
  }
}

/// A rolling upgrade that is not over (11.3). Members that only wait get no tasks, so the state does not tell of them.
void add_upgrade(const streams_group& group, wait_list& to) {
  auto out = because(waiting_reason::topology_upgrade, {});
  std::size_t older = 0;
  for (const auto& [id, member] : group.members) {
    if (!is_stale(group, member.metadata)) continue;
    ++older;
    add(out.blocks, id);
  }
  if (older == 0) return;
  out.text = std::to_string(older) + " of " + std::to_string(group.members.size()) +
             " members to be upgraded to topology epoch " + std::to_string(group.topology->epoch) +
             (is_newest_run(group) ? ": they keep the tasks they have and get no others"
                                   : ": nobody runs it, so tasks that they do not have run nowhere");
  to.push_back(std::move(out));
}

/// While they are tried the group has its state, but members are refused or get what was decided before.
void add_patterns(const streams_group& group, std::int64_t now_ms, wait_list& to) {
  if (!group.soft.trying || group.members.empty()) return;
  auto out = because(waiting_reason::patterns, words_for_patterns(group));
  out.since_ms = std::max<std::int64_t>(now_ms - group.soft.trying->since_ms, 0);
  to.insert(to.begin(), std::move(out));
}

}  // namespace

std::string_view name(waiting_reason why) noexcept {
  switch (why) {
    case waiting_reason::missing_topics: return "missing-topics";
    case waiting_reason::no_topology: return "no-topology";
    case waiting_reason::unvalidated: return "unvalidated";
    case waiting_reason::initial_delay: return "initial-delay";
    case waiting_reason::assignment_interval: return "assignment-interval";
    case waiting_reason::revocation: return "revocation";
    case waiting_reason::held_task: return "held-task";
    case waiting_reason::warm_up: return "warm-up";
    case waiting_reason::static_member: return "static-member";
    case waiting_reason::heartbeat: return "heartbeat";
    case waiting_reason::unknown_member: return "unknown-member";
    case waiting_reason::topology_upgrade: return "topology-upgrade";
    case waiting_reason::patterns: return "patterns";
  }
  return "unknown";
}

std::vector<waiting> waits_of(const streams_group& group, const group_config& config, std::int64_t now_ms) {
  auto out = waits_of_state(group, config, now_ms);
  add_upgrade(group, out);
  add_patterns(group, now_ms, out);
  return out;
}

std::string words_for_patterns(const streams_group& group) {
  if (!group.soft.trying) return {};
  const auto& [topics, untried, since_ms] = *group.soft.trying;
  return "the patterns of source topics to be tried: " + std::to_string(topics - untried) + " of " +
         std::to_string(topics) + " topics so far; " +
         (group.soft.matches ? "until then the group goes on with those that they matched before"
                             : "until then heartbeats are told that the coordinator is loading");
}

std::vector<std::string> in_words(const std::vector<waiting>& waits) {
  std::vector<std::string> words;
  for (const auto& one : waits) {
    if (words.empty() || words.back() != one.text) words.push_back(one.text);
  }
  return words;
}

}  // namespace weir::group
