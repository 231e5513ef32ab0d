#include "assignor/highly_available.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "assignor/dense_group.hpp"
#include "assignor/dense_plan.hpp"
#include "assignor/even_deal.hpp"
#include "assignor/match.hpp"
#include "assignor/quotas.hpp"
#include "assignor/racks.hpp"
#include "assignor/replicas.hpp"
#include "assignor/seating.hpp"
#include "assignor/standby_places.hpp"

namespace weir::assignor {

namespace {

// From members to processes: where every task runs and where its standbys are.
class planner {
 public:
  planner(const dense_group& group, const group_input& input)
      : group_(group),
        input_(input),
        present_(group, input.acceptable_recovery_lag),
        owners_(present_owners(group)),
        racks_(group),
        bins_(group, group.threads) {
    deal_present();
  }

  dense_plan make() && {
    const auto quotas = divide_among_processes(group_, load());
    place_stateful(quotas.stateful);
    place_stateless(quotas.total);
    const auto running = processes();
    const standby_places standbys(group_, present_, running, input_.rack_aware_tags);
    return seat(group_, {.present = present_, .owners = owners_, .active = running.active, .standbys = standbys});
  }

 private:
  [[nodiscard]] std::int32_t owner_process(std::int32_t task) const {
    const auto owner = owners_[at(task)];
    return owner == nobody ? nobody : group_.process_of[at(owner)];
  }

  void deal_present() {
    const auto is_stateful = stateful_tasks(group_);
    for (std::int32_t task = 0; task < group_.task_count(); ++task) {
      (is_stateful[at(task)] ? stateful_ : stateless_).add(task, owner_process(task));
    }
  }

  [[nodiscard]] present_load load() const {
    present_load now{.stateful = bins_.counts(stateful_), .total = bins_.counts(stateless_), .caught_up_orphans = {}};
    now.caught_up_orphans.resize(group_.threads.size(), 0);
    for (std::size_t process = 0; process < now.total.size(); ++process) now.total[process] += now.stateful[process];
    for (std::size_t i = 0; i < stateful_.tasks.size(); ++i) {
      if (stateful_.bins[i] != nobody) continue;
      for (const auto& copy : present_.of(stateful_.tasks[i])) {
        if (copy.caught_up) ++now.caught_up_orphans[at(copy.process)];
      }
    }
    return now;
  }

  // Steps 2 and 3.
  void place_stateful(const std::vector<std::int32_t>& quotas) {
    bins_.give_up_surplus(stateful_, quotas, pulls(quotas));
    auto room = quotas;
    const auto kept = bins_.counts(stateful_);
    for (std::size_t process = 0; process < room.size(); ++process) room[process] -= kept[process];
    place_where([](const replica& copy) { return copy.caught_up; }, room);
    if (input_.failover_slack > 0) {
      std::vector<std::int32_t> slack(room.size(), input_.failover_slack);
      place_where([&](const replica& copy) { return copy.caught_up && owners_[at(copy.task)] == nobody; }, slack);
    }
    place_where([](const replica& copy) { return !copy.caught_up; }, room);
    bins_.place(stateful_, room, &racks_);
  }

  // How much processes that are to get tasks would like each one.
  [[nodiscard]] std::vector<pull> pulls(const std::vector<std::int32_t>& quotas) const {
    const auto held = bins_.counts(stateful_);
    std::vector<pull> wanted(stateful_.tasks.size(), pull::none);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      for (const auto& copy : present_.of(stateful_.tasks[i])) {
        if (held[at(copy.process)] >= quotas[at(copy.process)]) continue;
        wanted[i] = std::max(wanted[i], copy.caught_up ? pull::caught_up : pull::some_state);
      }
    }
    return wanted;
  }

  // As many tasks without a process as possible to one that has such a copy.
  template <class Condition>
  void place_where(Condition is_fit, std::vector<std::int32_t>& room) {
    match_choices choices;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < stateful_.tasks.size(); ++i) {
      if (stateful_.bins[i] != nobody) continue;
      bool is_first = true;
      for (const auto& copy : present_.of(stateful_.tasks[i])) {
        if (!is_fit(copy)) continue;
        if (std::exchange(is_first, false)) choices.next();
        choices.allow(copy.process);
      }
      if (!is_first) places.push_back(i);
    }
    const auto chosen = match(choices, room);
    for (std::size_t i = 0; i < places.size(); ++i) stateful_.bins[places[i]] = chosen[i];
  }

  // Step 4.
  void place_stateless(const std::vector<std::int32_t>& quotas) {
    auto room = quotas;
    const auto stateful = bins_.counts(stateful_);
    for (std::size_t process = 0; process < room.size(); ++process) {
      room[process] = std::max(0, room[process] - stateful[process]);
    }
    bins_.divide(stateless_, room, &racks_);
  }

  [[nodiscard]] task_processes processes() const {
    task_processes running;
    running.active.resize(at(group_.task_count()));
    for (const auto* dealt : {&stateful_, &stateless_}) {
      for (std::size_t i = 0; i < dealt->tasks.size(); ++i) running.active[at(dealt->tasks[i])] = dealt->bins[i];
    }
    for (std::int32_t task = 0; task < group_.task_count(); ++task) running.former.push_back(owner_process(task));
    return running;
  }

  const dense_group& group_;
  const group_input& input_;
  replicas present_;
  std::vector<std::int32_t> owners_;
  racks racks_;
  even_deal bins_;
  deal stateful_;
  deal stateless_;
};

}  // namespace

result<flat_plan> highly_available::assign(const group_input& input) const {
  const auto group = dense_group::make(input);
  if (!group) return tl::unexpected(group.error());
  if (group->members.empty() && group->task_count() > 0) return fail("there are tasks but no members");
  return planner(*group, input).make().to_flat();
}

}  // namespace weir::assignor
