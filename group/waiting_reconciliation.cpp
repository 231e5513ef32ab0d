#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "group/heartbeat/interim.hpp"
#include "group/versions.hpp"
#include "group/waiting_parts.hpp"

namespace weir::group {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string words;
  for (const auto& one : names) words += (words.empty() ? "" : ", ") + one;
  return words;
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

}  // namespace

wait_list waits_of_reconciliation(const streams_group& group, std::int64_t now_ms) {
  return reconciliation(group, now_ms).waits();
}

}  // namespace weir::group
