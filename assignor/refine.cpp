#include "assignor/refine.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "assignor/dense_group.hpp"
#include "assignor/dense_plan.hpp"
#include "assignor/replicas.hpp"
#include "assignor/task_lists.hpp"

namespace weir::assignor {

namespace {

// The target by task.
struct dense_target {
  std::vector<std::int32_t> active;  // task -> member, or nobody
  std::vector<placed_task> standbys;  // in task order

  dense_target(const dense_group& group, const flat_plan& target) : active(at(group.task_count()), nobody) {
    for (std::int32_t member = 0; member < group.member_count(); ++member) {
      for (const auto task : target.active.of(group.place_of(member))) active[at(task)] = member;
    }
    if (target.standby.tasks.empty()) return;
    const auto by_task = sort_by_holder(active.size(), [&](auto visit) {
      for (std::int32_t member = 0; member < group.member_count(); ++member) {
        for (const auto task : target.standby.of(group.place_of(member))) visit(task, member);
      }
    });
    standbys.reserve(target.standby.tasks.size());
    for (std::int32_t task = 0; task < group.task_count(); ++task) {
      for (const auto member : by_task.of(at(task))) standbys.push_back({member, task});
    }
  }
};

// A copy that is to be restored at a member before the task moves there.
struct wish {
  std::int32_t task;
  std::int32_t member;
  bool is_active;       // it is to run there, not only to stand by
  bool is_running = false;  // its process warms up already
  bool is_resting = false;  // it has not got on for long
  std::int32_t times_stuck = 0;
  std::int64_t lag = lag_unknown;
};

class refiner {
 public:
  refiner(const dense_group& group, const group_input& input, const flat_plan& wanted)
      : group_(group),
        input_(input),
        target_(group, wanted),
        owners_(present_owners(group)),
        asked_(tasks_in_question()),
        present_(group, input.acceptable_recovery_lag, asked_),
        first_members_(group.first_members()),
        active_(target_.active),
        runs_(group.members.size(), 0),
        differs_(group.members.size(), false) {
    find_stuck();
  }

  interim make() && {
    std::vector<std::int32_t> orphans;
    for (std::int32_t task = 0; task < group_.task_count(); ++task) {
      if (active_[at(task)] == nobody) continue;
      if (asked_[at(task)] && owners_[at(task)] == nobody) {
        orphans.push_back(task);
        continue;
      }
      if (asked_[at(task)]) stay_or_move(task);
      ++runs_[at(active_[at(task)])];
    }
    for (const auto task : orphans) {
      start(task);
      ++runs_[at(active_[at(task)])];
    }
    place_standbys();
    grant();
    return named();
  }

 private:
  [[nodiscard]] bool warms_up() const {
    return input_.warmup_replicas > 0 && input_.acceptable_recovery_lag != lag_unknown;
  }
  [[nodiscard]] std::int32_t process_of(std::int32_t member) const { return group_.process_of[at(member)]; }
  [[nodiscard]] bool reports(std::int32_t member) const { return group_.members[at(member)]->reports_offsets; }

  // Task -> whether its copies matter: it is stateful, and does not simply stay in its process.
  [[nodiscard]] std::vector<bool> tasks_in_question() const {
    if (!warms_up()) return std::vector<bool>(owners_.size(), false);
    auto asked = stateful_tasks(group_);
    if (input_.keep_old_standbys) return asked;
    for (std::size_t task = 0; task < asked.size(); ++task) {
      const auto member = target_.active[task];
      const auto owner = owners_[task];
      if (member == nobody || (owner != nobody && process_of(owner) == process_of(member))) asked[task] = false;
    }
    return asked;
  }

  void find_stuck() {
    for (const auto& one : input_.stuck) {
      const auto index = group_.find_subtopology(one.subtopology_id);
      if (index == nobody || one.partition < 0 || one.partition >= group_.subtopologies[at(index)].tasks) continue;
      stuck_.emplace_back(group_.first_task[at(index)] + one.partition, &one);
    }
  }
  // Null if it never was.
  [[nodiscard]] const stuck_warm_up* stuck(std::int32_t task, std::int32_t member) const {
    const auto found = std::find_if(stuck_.begin(), stuck_.end(), [&](const auto& entry) {
      return entry.first == task && entry.second->process_id == group_.members[at(member)]->process_id;
    });
    return found == stuck_.end() ? nullptr : found->second;
  }

  void set_active(std::int32_t task, std::int32_t member) {
    differs_[at(active_[at(task)])] = true;
    differs_[at(member)] = true;
    active_[at(task)] = member;
  }

  // One that the target does not have.
  void add_standby(std::int32_t task, std::int32_t member) {
    differs_[at(member)] = true;
    standbys_.push_back({member, task});
  }

  // A task somebody runs.
  void stay_or_move(std::int32_t task) {
    const auto member = target_.active[at(task)];
    const auto owner = owners_[at(task)];
    if (process_of(owner) == process_of(member) || !reports(member)) return;
    const auto* copy = present_.find(task, process_of(member));
    if (copy != nullptr && (copy->caught_up || is_on_its_way(*copy, owner))) return;
    set_active(task, owner);
    await(task, member, copy);
  }

  // The owner was already told to let go of a task that its successor warmed up for: reports that came in since do not
  // turn that back.
  [[nodiscard]] bool is_on_its_way(const replica& copy, std::int32_t owner) const {
    return copy.is_held() && !runs_undisturbed(copy.task, owner);
  }
  [[nodiscard]] bool runs_undisturbed(std::int32_t task, std::int32_t owner) const {
    const auto assigned = group_.active(owner);
    return std::binary_search(assigned.begin(), assigned.end(), task);
  }

  // A task nobody runs: wherever the least is to be restored.
  void start(std::int32_t task) {
    const auto member = target_.active[at(task)];
    if (!reports(member)) return;
    const auto* mine = present_.find(task, process_of(member));
    const auto* best = best_copy(task);
    if (best == nullptr || (mine != nullptr && (mine->caught_up || !best->caught_up))) return;
    set_active(task, holder(*best));
    await(task, member, mine);
  }

  // Caught up, or at least held as standby or warm-up now; of equals where least runs.
  [[nodiscard]] const replica* best_copy(std::int32_t task) const {
    const replica* best = nullptr;
    for (const auto& copy : present_.of(task)) {
      if (!copy.caught_up && !copy.is_held()) continue;
      if (best == nullptr) {
        best = &copy;
        continue;
      }
      if (copy.caught_up != best->caught_up || copy.lag != best->lag) break;
      if (!copy.caught_up && copy.offset != best->offset) break;
      if (runs_[at(holder(copy))] < runs_[at(holder(*best))]) best = &copy;
    }
    return best;
  }

  // The member of the process that holds the copy; else the one that runs least.
  [[nodiscard]] std::int32_t holder(const replica& copy) const {
    if (copy.is_held()) return copy.standby != nobody ? copy.standby : copy.warmup;
    const auto members = group_.members_of(copy.process, first_members_);
    return *std::min_element(members.begin(), members.end(),
                             [&](std::int32_t a, std::int32_t b) { return runs_[at(a)] < runs_[at(b)]; });
  }

  // A lagging standby goes on as such, if its member tells how far it is; anything else needs one of the few warm-ups.
  void await(std::int32_t task, std::int32_t member, const replica* copy) {
    waiting_.push_back({task, member, true});
    if (copy != nullptr && copy->standby != nobody && reports(copy->standby)) {
      add_standby(task, copy->standby);
    } else {
      add_wish(task, member, copy, true);
    }
  }

  void add_wish(std::int32_t task, std::int32_t member, const replica* copy, bool is_active) {
    wish added{.task = task, .member = member, .is_active = is_active};
    if (const auto* known = stuck(task, member)) {
      added.is_resting = known->rests;
      added.times_stuck = known->times;
    }
    if (copy != nullptr) {
      added.is_running = copy->warmup != nobody;
      added.lag = copy->lag;
    }
    wishes_.push_back(added);
  }

  // The target's, but for the one on the process that runs the task for the time being.
  void place_standbys() {
    const auto& all = target_.standbys;
    for (std::size_t i = 0; i < all.size();) {
      auto end = i;
      while (end < all.size() && all[end].task == all[i].task) ++end;
      place_standbys(all[i].task, std::span(all).subspan(i, end - i));
      i = end;
    }
  }

  void place_standbys(std::int32_t task, std::span<const placed_task> wanted) {
    if (active_[at(task)] == nobody) return;
    std::vector<std::int32_t> leaving;
    if (input_.keep_old_standbys && warms_up()) leaving = leaving_standbys(task, wanted);
    for (const auto& [member, unused] : wanted) {
      if (process_of(member) == process_of(active_[at(task)])) {
        differs_[at(member)] = true;
        continue;
      }
      const auto* copy = leaving.empty() ? nullptr : present_.find(task, process_of(member));
      if (leaving.empty() || has_state(task, member, copy) || !reports(member)) {
        standbys_.push_back({member, task});
        continue;
      }
      differs_[at(member)] = true;
      add_standby(task, leaving.back());
      leaving.pop_back();
      waiting_.push_back({task, member, false});
      add_wish(task, member, copy, false);
    }
  }

  // Enough to stand by at once: the former owner has all of it.
  [[nodiscard]] bool has_state(std::int32_t task, std::int32_t member, const replica* copy) const {
    const auto owner = owners_[at(task)];
    const bool ran_it = owner != nobody && process_of(owner) == process_of(member);
    return ran_it || (copy != nullptr && (copy->caught_up || copy->standby != nobody));
  }

  // Members with a standby that the target has no use for; the one that is least behind last.
  [[nodiscard]] std::vector<std::int32_t> leaving_standbys(std::int32_t task,
                                                           std::span<const placed_task> wanted) const {
    std::vector<std::int32_t> leaving;
    for (const auto& copy : present_.of(task)) {
      const auto is_same = [&](const placed_task& place) { return process_of(place.member) == copy.process; };
      const bool runs_here = copy.process == process_of(active_[at(task)]) ||
                             copy.process == process_of(target_.active[at(task)]);
      if (copy.standby == nobody || runs_here || std::any_of(wanted.begin(), wanted.end(), is_same)) continue;
      leaving.push_back(copy.standby);
    }
    std::reverse(leaving.begin(), leaving.end());
    return leaving;
  }

  // Running ones first, the least behind first; then those that were never stuck before others, tasks that are to run
  // elsewhere before standbys, in task order. Last those that rest, in the same order.
  void grant() {
    std::stable_sort(wishes_.begin(), wishes_.end(), [](const wish& a, const wish& b) {
      const auto rank = [](const wish& w) {
        return std::tuple(w.is_resting, !w.is_running, w.is_running ? w.lag : w.times_stuck, !w.is_active);
      };
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.task < b.task;
    });
    const auto most = at(std::max(0, input_.warmup_replicas - input_.warmups_elsewhere));
    for (const auto& granted : wishes_) {
      if (warmups_.size() == most) return;
      differs_[at(granted.member)] = true;
      warmups_.push_back({granted.member, granted.task});
    }
  }

  interim named() {
    std::vector<placed_task> running;
    for (std::int32_t task = 0; task < group_.task_count(); ++task) {
      const auto member = active_[at(task)];
      if (member != nobody && differs_[at(member)]) running.push_back({member, task});
    }
    auto active = named(running);
    auto standby = named(standbys_);
    auto warmup = named(warmups_);
    interim made;
    for (std::size_t member = 0; member < group_.members.size(); ++member) {
      if (!differs_[member]) continue;
      made.members.try_emplace(
          made.members.end(), std::string(group_.members[member]->member_id),
          interim_tasks{std::move(active[member]), std::move(standby[member]), std::move(warmup[member])});
    }
    std::stable_sort(waiting_.begin(), waiting_.end(), [](const wish& a, const wish& b) {
      return std::tuple(!a.is_active, a.task) < std::tuple(!b.is_active, b.task);
    });
    for (const auto& entry : waiting_) made.waiting.push_back(named(entry));
    return made;
  }

  // Of the members that differ from the target.
  [[nodiscard]] std::vector<task_set> named(std::vector<placed_task>& placed) const {
    std::erase_if(placed, [&](const placed_task& place) { return !differs_[at(place.member)]; });
    std::stable_sort(placed.begin(), placed.end(),
                     [](const placed_task& a, const placed_task& b) { return a.task < b.task; });
    return named_tasks(group_, placed);
  }

  [[nodiscard]] waiting_task named(const wish& entry) const {
    const auto subtopology = at(group_.subtopology_of(entry.task));
    return {std::string(group_.subtopologies[subtopology].id), entry.task - group_.first_task[subtopology],
            std::string(group_.members[at(entry.member)]->member_id)};
  }

  const dense_group& group_;
  const group_input& input_;
  dense_target target_;
  std::vector<std::int32_t> owners_;
  std::vector<bool> asked_;  // task -> present_ knows its copies
  replicas present_;
  std::vector<std::size_t> first_members_;
  std::vector<std::int32_t> active_;    // task -> member that runs it for the time being
  std::vector<std::int32_t> runs_;      // member -> active tasks so far
  std::vector<bool> differs_;           // member -> it is to hold something else than the target says
  std::vector<std::pair<std::int32_t, const stuck_warm_up*>> stuck_;  // by task
  std::vector<placed_task> standbys_;
  std::vector<placed_task> warmups_;
  std::vector<wish> wishes_;
  std::vector<wish> waiting_;
};

}  // namespace

result<interim> refine(const flat_plan& target, const group_input& input) {
  const auto group = dense_group::make(input);
  if (!group) return tl::unexpected(group.error());
  if (input.warmup_replicas < 0) return fail("the number of warm-up replicas is negative");
  const auto members = group->members.size();
  if (target.active.holders() != members || target.standby.holders() != members) {
    return fail("the target is for another number of members");
  }
  return refiner(*group, input, target).make();
}

}  // namespace weir::assignor
