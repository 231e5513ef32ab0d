#include "assignor/sticky.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "assignor/dense_group.hpp"
#include "assignor/dense_plan.hpp"
#include "assignor/holders.hpp"
#include "assignor/kafka_idle.hpp"
#include "assignor/process_load.hpp"

namespace weir::assignor {

namespace {

// Share of tasks a member may hold. Once as many members as may hold the rounded-up share have reached it, the share of
// the others drops to the rounded-down one (spec 03, 2.1).
class quota {
 public:
  quota(std::int64_t tasks, std::int64_t members) : tasks_(tasks), members_(members) { divide(); }

  [[nodiscard]] bool admits(std::int32_t count) const { return count < limit_; }
  [[nodiscard]] std::int64_t limit() const { return limit_; }

  /// A member has just been given a task and now holds `count`.
  void given(std::int32_t count) {
    if (count != limit_) return;
    --members_;
    tasks_ -= count;
    divide();
  }

 private:
  void divide() { limit_ = members_ == 0 ? 0 : (tasks_ + members_ - 1) / members_; }

  std::int64_t tasks_;
  std::int64_t members_;
  std::int64_t limit_ = 0;
};

// Who is least loaded, ties by id: least_loaded, begun anew for each kind of task.
class idle_by_id {
 public:
  explicit idle_by_id(process_load& load) : load_(load) {}

  void begin() { queue_.emplace(load_); }
  std::int32_t take(std::span<const std::int32_t> excluded) { return queue_->take(excluded); }
  std::int32_t take_below(std::int64_t limit) { return queue_->take_below(limit); }
  void given(std::int32_t /*member*/) {}

 private:
  process_load& load_;
  std::optional<least_loaded> queue_;
};

// `Idle` chooses the least loaded: idle_by_id or kafka_idle.
template <class Idle>
class placement {
 public:
  explicit placement(const dense_group& group)
      : group_(group),
        holders_(group),
        load_(group),
        idle_(load_),
        active_quota_(group.task_count(), group.member_count()),
        total_quota_(group.task_count() + std::int64_t{group.standby_replicas} * group.stateful_tasks,
                     group.member_count()),
        plan_(group) {}

  dense_plan make() && {
    const auto tasks = group_.tasks_by_partition();
    place_active(tasks);
    if (group_.standby_replicas_here > 0) place_standbys(tasks);
    return std::move(plan_);
  }

 private:
  // Spec 03, 2.2. With ties by id the quota counts in the last step, too: Kafka goes by the load of processes alone
  // there, and may leave one thread of a process with two tasks and the other with none.
  void place_active(const std::vector<std::int32_t>& tasks) {
    const auto ownerless = give_active(tasks, [&](std::int32_t task) { return holders_.owner(task); });
    const auto left = give_active(ownerless, [&](std::int32_t task) { return best_candidate(task, {}); });
    if (left.empty()) return;
    idle_.begin();
    const auto is_left = marked(left);
    for (std::int32_t task = 0; task < group_.task_count(); ++task) {
      if (is_left[at(task)]) set_active(task, idle_.take_below(active_quota_.limit()));
    }
  }

  // Gives each task to the member `choose` names, if that member's share allows. Returns the tasks that are left.
  template <class Choose>
  std::vector<std::int32_t> give_active(const std::vector<std::int32_t>& tasks, Choose choose) {
    std::vector<std::int32_t> left;
    left.reserve(tasks.size());
    for (const auto task : tasks) {
      const auto member = choose(task);
      if (member != nobody && active_quota_.admits(load_.tasks(member))) {
        give(member);
        set_active(task, member);
      } else {
        left.push_back(task);
      }
    }
    return left;
  }

  void give(std::int32_t member) {
    load_.add(member);
    idle_.given(member);
  }

  void set_active(std::int32_t task, std::int32_t member) {
    plan_.set_active(task, member);
    active_quota_.given(load_.tasks(member));
    total_quota_.given(load_.tasks(member));
  }

  // Spec 03, 2.3. Tasks whose replicas could not all be placed where state is are finished at the end, by load alone.
  void place_standbys(const std::vector<std::int32_t>& tasks) {
    std::vector<std::int32_t> unfinished;
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
      if (plan_.standbys_wanted(*task) > 0 && !place_where_state_is(*task)) unfinished.push_back(*task);
    }
    if (unfinished.empty()) return;
    idle_.begin();
    const auto is_unfinished = marked(unfinished);
    for (auto task = group_.task_count(); task-- > 0;) {
      if (is_unfinished[at(task)]) place_where_idle(task);
    }
  }

  // Task -> whether it is one of these: to go through them in their order without sorting.
  [[nodiscard]] std::vector<char> marked(const std::vector<std::int32_t>& tasks) const {
    std::vector<char> marks(at(group_.task_count()), 0);
    for (const auto task : tasks) marks[at(task)] = 1;
    return marks;
  }

  bool place_where_state_is(std::int32_t task) {
    while (plan_.standbys(task) < group_.standby_replicas) {
      const auto member = member_with_state(task);
      if (member == nobody) return false;
      give(member);
      add_standby(task, member);
    }
    return true;
  }

  std::int32_t member_with_state(std::int32_t task) const {
    const auto taken = plan_.processes(task);
    const auto owner = holders_.owner(task);
    if (owner != nobody && !holds(taken, owner) && total_quota_.admits(load_.tasks(owner))) return owner;
    const auto best = best_candidate(task, taken);
    return best != nobody && total_quota_.admits(load_.tasks(best)) ? best : nobody;
  }

  // Looks for a process in vain if there are fewer than the configured standbys need, as Kafka does.
  void place_where_idle(std::int32_t task) {
    while (plan_.standbys(task) < group_.standby_replicas) {
      const auto member = idle_.take(plan_.processes(task));
      if (member == nobody) return;
      add_standby(task, member);
    }
  }

  void add_standby(std::int32_t task, std::int32_t member) {
    plan_.add_standby(task, member);
    total_quota_.given(load_.tasks(member));
  }

  // The first candidate outside the processes taken; a later one only if it and its process hold less (spec 03, 2.1).
  [[nodiscard]] std::int32_t best_candidate(std::int32_t task, std::span<const std::int32_t> taken) const {
    auto best = nobody;
    for (const auto member : holders_.candidates(task)) {
      if (holds(taken, member)) continue;
      if (best == nobody || load_.below(member, best)) best = member;
    }
    return best;
  }

  [[nodiscard]] bool holds(std::span<const std::int32_t> processes, std::int32_t member) const {
    return std::find(processes.begin(), processes.end(), load_.process_of(member)) != processes.end();
  }

  const dense_group& group_;
  holders holders_;
  process_load load_;
  Idle idle_;
  quota active_quota_;
  quota total_quota_;
  dense_plan plan_;
};

}  // namespace

result<flat_plan> sticky::assign(const group_input& input) const {
  const auto as_kafka = how_ == ties::as_kafka;
  const auto group = dense_group::make(input, as_kafka ? visiting::as_java : visiting::by_id);
  if (!group) return tl::unexpected(group.error());
  if (group->members.empty() && group->task_count() > 0) return fail("there are tasks but no members");
  return as_kafka ? placement<kafka_idle>(*group).make().to_flat() : placement<idle_by_id>(*group).make().to_flat();
}

}  // namespace weir::assignor
