#include "assignor/seating.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "assignor/even_deal.hpp"
#include "assignor/task_lists.hpp"

namespace weir::assignor {

namespace {

class seats {
 public:
  seats(const dense_group& group, const seating_input& input)
      : group_(group),
        input_(input),
        first_members_(group.first_members()),
        is_stateful_(stateful_tasks(group)),
        place_of_(group.members.size()),
        plan_(group) {
    for (std::int32_t process = 0; process < group.process_count(); ++process) {
      const auto members = group.members_of(process, first_members_);
      for (std::size_t i = 0; i < members.size(); ++i) place_of_[at(members[i])] = static_cast<std::int32_t>(i);
    }
  }

  dense_plan make() && {
    const auto active = sort_by_holder(group_.threads.size(), [&](auto visit) {
      for (std::int32_t task = 0; task < group_.task_count(); ++task) visit(input_.active[at(task)], task);
    });
    const auto standby = sort_by_holder(group_.threads.size(), [&](auto visit) {
      for (std::int32_t task = 0; task < group_.task_count(); ++task) {
        for (const auto process : input_.standbys.of(task)) visit(process, task);
      }
    });
    std::vector<std::vector<std::int32_t>> loads(group_.threads.size());  // process -> tasks of each of its members
    for (std::int32_t process = 0; process < group_.process_count(); ++process) {
      loads[at(process)].resize(at(group_.threads[at(process)]), 0);
      seat_active(process, active.of(at(process)), loads[at(process)]);
    }
    for (std::int32_t process = 0; process < group_.process_count(); ++process) {
      seat_standbys(process, standby.of(at(process)), loads[at(process)]);
    }
    return std::move(plan_);
  }

 private:
  using counts = std::vector<std::int32_t>;

  void seat_active(std::int32_t process, std::span<const std::int32_t> tasks, counts& load) {
    if (load.size() == 1) {  // no choice
      for (const auto task : tasks) plan_.set_active(task, member(process, 0));
      return;
    }
    deal stateful;
    deal stateless;
    for (const auto task : tasks) {
      (is_stateful_[at(task)] ? stateful : stateless).add(task, place(active_holder(task, process), process));
    }
    const counts threads(load.size(), 1);
    const even_deal members(group_, threads);
    spread(members, stateful, load);
    auto room = quotas(load, members.counts(stateless), stateless.tasks.size());
    for (std::size_t i = 0; i < room.size(); ++i) room[i] -= load[i];
    members.divide(stateless, room);
    add(load, members.counts(stateless));
    for (const auto* dealt : {&stateful, &stateless}) {
      for (std::size_t i = 0; i < dealt->tasks.size(); ++i) {
        plan_.set_active(dealt->tasks[i], member(process, dealt->bins[i]));
      }
    }
  }

  void seat_standbys(std::int32_t process, std::span<const std::int32_t> tasks, counts& load) {
    if (load.size() == 1) {
      for (const auto task : tasks) plan_.add_standby(task, member(process, 0));
      return;
    }
    deal standbys;
    for (const auto task : tasks) standbys.add(task, place(standby_holder(task, process), process));
    const counts threads(load.size(), 1);
    spread(even_deal(group_, threads), standbys, load);
    for (std::size_t i = 0; i < standbys.tasks.size(); ++i) {
      plan_.add_standby(standbys.tasks[i], member(process, standbys.bins[i]));
    }
  }

  // Members above their share of the running total give up, those below get; `load` grows by what is dealt.
  static void spread(const even_deal& members, deal& dealt, counts& load) {
    auto room = quotas(load, members.counts(dealt), dealt.tasks.size());
    for (std::size_t i = 0; i < room.size(); ++i) room[i] -= load[i];
    members.give_up_surplus(dealt, room, {});
    const auto kept = members.counts(dealt);
    for (std::size_t i = 0; i < room.size(); ++i) room[i] -= kept[i];
    members.place(dealt, room);
    add(load, members.counts(dealt));
  }

  // Each member's share of what all have and `more` tasks: rounded up for those that have more than the share rounded
  // down, then for those that would with what they hold of these tasks.
  static counts quotas(const counts& load, const counts& held, std::size_t more) {
    const auto total = std::accumulate(load.begin(), load.end(), static_cast<std::int32_t>(more));
    const auto members = static_cast<std::int32_t>(load.size());
    counts order(load.size());
    std::iota(order.begin(), order.end(), 0);
    const auto rank = [&](std::int32_t m) {
      return std::tuple(-load[at(m)], load[at(m)] + held[at(m)] <= total / members, m);
    };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return rank(a) < rank(b); });
    counts shares(load.size(), total / members);
    for (std::int32_t i = 0; i < total % members; ++i) ++shares[at(order[at(i)])];
    return shares;
  }

  static void add(counts& to, const counts& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
  }

  [[nodiscard]] std::int32_t member(std::int32_t process, std::int32_t place) const {
    return group_.members_of(process, first_members_)[at(place)];
  }

  // Place of a member among those of the process; nobody, too, if it is in another one.
  [[nodiscard]] std::int32_t place(std::int32_t member, std::int32_t process) const {
    return member == nobody || group_.process_of[at(member)] != process ? nobody : place_of_[at(member)];
  }

  [[nodiscard]] std::int32_t active_holder(std::int32_t task, std::int32_t process) const {
    const auto owner = input_.owners[at(task)];
    return place(owner, process) != nobody ? owner : copy_holder(task, process);
  }

  [[nodiscard]] std::int32_t standby_holder(std::int32_t task, std::int32_t process) const {
    const auto holder = copy_holder(task, process);
    return holder != nobody ? holder : input_.owners[at(task)];
  }

  [[nodiscard]] std::int32_t copy_holder(std::int32_t task, std::int32_t process) const {
    const auto* copy = input_.present.find(task, process);
    if (copy == nullptr) return nobody;
    return copy->standby != nobody ? copy->standby : copy->warmup;
  }

  const dense_group& group_;
  const seating_input& input_;
  std::vector<std::size_t> first_members_;
  std::vector<bool> is_stateful_;
  std::vector<std::int32_t> place_of_;  // member -> place among those of its process
  dense_plan plan_;
};

}  // namespace

dense_plan seat(const dense_group& group, const seating_input& input) { return seats(group, input).make(); }

}  // namespace weir::assignor
