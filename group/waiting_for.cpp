#include "group/waiting_for.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "group/heartbeat/interim.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

using wait_list = std::vector<waiting>;
using task_id = std::pair<std::string_view, std::int32_t>;

std::string remaining(std::int64_t deadline_ms, std::int64_t now_ms) {
  return std::to_string(std::max<std::int64_t>(deadline_ms - now_ms, 0)) + " ms";
}

std::string listed(const std::vector<std::string>& names) {
  std::string words;
  for (const auto& one : names) words += (words.empty() ? "" : ", ") + one;
  return words;
}

void add(std::vector<std::string>& to, std::string one) {
  if (to.size() < waiting_list_max) to.push_back(std::move(one));
}

waiting because(waiting_reason why, std::string text) {
  waiting out;
  out.why = why;
  out.text = std::move(text);
  return out;
}

/// Looks at a group that is RECONCILING: who holds what, and who wants it.
class reconciliation {
 public:
  reconciliation(const streams_group& group, std::int64_t now_ms) : group_(group), now_ms_(now_ms) {
    const auto* interim = group.soft.interim.get();
    if (interim != nullptr && interim->epoch == group.target_info.assignment_epoch) step_ = interim;
    for (const auto& [id, member] : group.members) {
      hold(id, member.current.assigned.active);
      hold(id, member.current.pending_revocation.active);
    }
    if (group.topology && !is_only_version(group, group.topology->epoch)) {
      foreign_.emplace(group, *group.topology, std::string_view(), nullptr);
    }
    for (const auto& [id, member] : group.members) want(id, member);
  }

  wait_list waits() const {
    wait_list out;
    for (const auto& [id, member] : group_.members) {
      if (out.size() >= waiting_max) break;
      add_member(out, id, member);
    }
    return out;
  }

 private:
  void hold(const std::string& id, const task_epochs& tasks) {
    for (const auto& [subtopology, partitions] : tasks) {
      for (const auto& [partition, epoch] : partitions) holders_[{subtopology, partition}] = &id;
    }
  }

  /// What the member is reconciled to: the step in force, else its target; null if it has none.
  [[nodiscard]] const role_tasks* wanted_of(const std::string& id) const {
    if (const auto* step = part_of(step_, id)) return step;
    const auto target = group_.targets.find(id);
    return target == group_.targets.end() ? nullptr : &target->second;
  }

  /// Who holds the task, or one of another topology that may read the same; null if nobody does.
  [[nodiscard]] const std::string* holder_of(std::string_view subtopology, std::int32_t partition) const {
    const auto found = holders_.find({subtopology, partition});
    if (found != holders_.end()) return found->second;
    return foreign_ ? foreign_->holder(subtopology, partition) : nullptr;
  }

  void want(const std::string& id, const member& member) {
    const auto* wanted = wanted_of(id);
    if (wanted == nullptr) return;
    for (const auto& [subtopology, partitions] : wanted->active) {
      for (const auto partition : partitions) {
        if (contains(member.current.assigned.active, subtopology, partition)) continue;
        const auto* holder = holder_of(subtopology, partition);
        if (holder == nullptr || *holder == id) continue;
        blocked_by_[*holder].insert(id);
        claimed_of_[*holder].push_back(task_name(subtopology, partition));
      }
    }
  }

  void add_member(wait_list& out, const std::string& id, const member& member) const {
    if (member.current.is_away()) return out.push_back(away(id, member));
    switch (member.current.state) {
      case member_state::unrevoked_tasks: return out.push_back(revocation(id, member));
      case member_state::unreleased_tasks: return add_unreleased(out, id, member);
      case member_state::unknown: {
        auto gone = of_member(waiting_reason::unknown_member, id);
        gone.text = "member " + id + " to rejoin: its stored state is not known";
        return out.push_back(std::move(gone));
      }
      case member_state::stable: break;
    }
    if (member.current.member_epoch != group_.target_info.assignment_epoch) out.push_back(heartbeat(id, member));
  }

  [[nodiscard]] const member_soft* soft_of(const std::string& id) const {
    const auto found = group_.soft.members.find(id);
    return found == group_.soft.members.end() ? nullptr : &found->second;
  }

  /// Member, whom it blocks, and since when.
  [[nodiscard]] waiting of_member(waiting_reason why, const std::string& id) const {
    waiting out;
    out.why = why;
    out.member_id = id;
    if (const auto blocked = blocked_by_.find(id); blocked != blocked_by_.end()) {
      for (const auto& one : blocked->second) add(out.blocks, one);
    }
    const auto* soft = soft_of(id);
    if (soft != nullptr && soft->phase_since_ms) out.since_ms = now_ms_ - *soft->phase_since_ms;
    return out;
  }

  void remove_in(waiting& to, std::optional<std::int64_t> member_soft::*deadline) const {
    const auto* soft = soft_of(to.member_id);
    if (soft == nullptr || !(soft->*deadline)) return;
    to.ends_in_ms = std::max<std::int64_t>(*(soft->*deadline) - now_ms_, 0);
  }

  /// The ends of the sentences.
  static std::string tail(const waiting& of) {
    std::string words;
    if (of.since_ms) words += "; since " + std::to_string(*of.since_ms) + " ms";
    if (of.ends_in_ms) words += "; it is removed in " + std::to_string(*of.ends_in_ms) + " ms";
    if (!of.blocks.empty()) words += "; blocks " + listed(of.blocks);
    return words;
  }

  [[nodiscard]] waiting away(const std::string& id, const member& member) const {
    auto out = of_member(waiting_reason::static_member, id);
    remove_in(out, &member_soft::session_deadline_ms);
    out.text = "static member " + member.metadata.instance_id.value_or(id) + " (" + id +
               ") to come back: it left for a while" + tail(out);
    return out;
  }

  [[nodiscard]] waiting revocation(const std::string& id, const member& member) const {
    auto out = of_member(waiting_reason::revocation, id);
    remove_in(out, &member_soft::rebalance_deadline_ms);
    const auto pending = without_epochs(member.current.pending_revocation);
    for (const auto* tasks : {&pending.active, &pending.standby, &pending.warmup}) {
      for (const auto& [subtopology, partitions] : *tasks) {
        for (const auto partition : partitions) add(out.tasks, task_name(subtopology, partition));
      }
    }
    out.text = "member " + id + " to release active tasks " + in_words(pending.active);
    if (!pending.standby.empty()) out.text += ", standby tasks " + in_words(pending.standby);
    if (!pending.warmup.empty()) out.text += ", warm-up tasks " + in_words(pending.warmup);
    out.text += tail(out);
    return out;
  }

  [[nodiscard]] waiting heartbeat(const std::string& id, const member& member) const {
    auto out = of_member(waiting_reason::heartbeat, id);
    out.since_ms.reset();  // it waits since the target was computed, whatever it was up to
    if (const auto computed_ms = group_.target_info.assignment_timestamp_ms; computed_ms > 0) {
      out.since_ms = std::max<std::int64_t>(now_ms_ - computed_ms, 0);
    }
    remove_in(out, &member_soft::session_deadline_ms);
    if (const auto claimed = claimed_of_.find(id); claimed != claimed_of_.end()) {
      for (const auto& task : claimed->second) add(out.tasks, task);
    }
    out.text = "the next heartbeat of member " + id + ", which is at epoch " +
               std::to_string(member.current.member_epoch) + " and goes to " +
               std::to_string(group_.target_info.assignment_epoch) + tail(out);
    return out;
  }

  /// One for each holder.
  void add_unreleased(wait_list& out, const std::string& id, const member& member) const {
    const auto* wanted = wanted_of(id);
    if (wanted == nullptr) return;
    std::map<std::string, std::vector<std::string>> by_holder;
    for (const auto& [subtopology, partitions] : wanted->active) {
      for (const auto partition : partitions) {
        if (contains(member.current.assigned.active, subtopology, partition)) continue;
        const auto* holder = holder_of(subtopology, partition);
        add(by_holder[holder == nullptr ? std::string() : *holder], task_name(subtopology, partition));
      }
    }
    if (by_holder.empty()) {
      auto other = of_member(waiting_reason::held_task, id);
      other.text = "tasks for member " + id + ": standby or warm-up tasks that another member of its process holds";
      out.push_back(std::move(other));
    }
    for (auto& [holder, tasks] : by_holder) {
      auto held = of_member(waiting_reason::held_task, id);
      const auto suffix = holder.empty() ? " (free: its next heartbeat gets it)" : " (held by " + named(holder) + ")";
      held.text = "tasks for member " + id + ":";
      for (const auto& task : tasks) held.text += (held.text.ends_with(':') ? " " : ", ") + task + suffix;
      held.holder = holder;
      held.tasks = std::move(tasks);
      out.push_back(std::move(held));
    }
  }

  [[nodiscard]] std::string named(const std::string& holder) const {
    const auto& about = group_.members.at(holder).metadata;
    if (!is_stale(group_, about)) return holder;
    return holder + ", which runs topology epoch " + std::to_string(about.topology_epoch) + " until it is upgraded";
  }

  const streams_group& group_;
  std::int64_t now_ms_;
  const interim_target* step_ = nullptr;
  std::optional<foreign_claims> foreign_;  // of members that run an older topology, while there are some
  std::map<task_id, const std::string*> holders_;  // of active tasks, also of those pending revocation
  std::map<std::string_view, std::set<std::string>> blocked_by_;
  std::map<std::string_view, std::vector<std::string>> claimed_of_;
};

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

/// Of a STABLE group: each warm-up with who has the task meanwhile, then how many wait for their turn.
wait_list until_warm(const streams_group& group) {
  const auto* step = group.soft.interim.get();
  if (step == nullptr || step->waiting == 0) return {};
  std::map<task_id, const std::string*> owners;
  for (const auto& [id, member] : group.members) {
    for (const auto& [subtopology, partitions] : member.current.assigned.active) {
      for (const auto& [partition, epoch] : partitions) owners[{subtopology, partition}] = &id;
    }
  }
  const auto words = std::to_string(step->waiting) +
                     " tasks to be restored by the members that shall have them; they run where they are meanwhile";
  wait_list out;
  for (const auto& [id, tasks] : step->members) {
    for (const auto& [subtopology, partitions] : tasks.warmup) {
      for (const auto partition : partitions) {
        if (out.size() >= waiting_list_max) return out;
        auto& one = out.emplace_back(because(waiting_reason::warm_up, words));
        one.member_id = id;
        one.tasks = {task_name(subtopology, partition)};
        const auto owner = owners.find({subtopology, partition});
        if (owner != owners.end()) one.holder = *owner->second;
        one.lag = lag_of(group, id, {subtopology, partition});
      }
    }
  }
  if (out.empty()) out.push_back(because(waiting_reason::warm_up, words));
  return out;
}

wait_list waits_of_state(const streams_group& group, const group_config& config, std::int64_t now_ms) {
  switch (state_of(group)) {
    case group_state::not_ready: return until_ready(group, now_ms);
    case group_state::assigning: return until_assigned(group, config, now_ms);
    case group_state::reconciling: return reconciliation(group, now_ms).waits();
    case group_state::stable: return until_warm(group);
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
             ": they keep the tasks they have and get no others";
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
