#include "assignor/plan_statistics.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "assignor/dense_group.hpp"
#include "assignor/holders.hpp"
#include "assignor/validate.hpp"

namespace weir::assignor {

namespace {

// What a process had of a task before.
struct earlier_copy {
  std::int32_t process;
  bool active;
  bool standby;
  bool offset;
};

class measurement {
 public:
  explicit measurement(const dense_group& group)
      : group_(group), holders_(group), earlier_(at(group.task_count())), had_tasks_(group.members.size()) {
    std::set<std::string_view> had_others;
    for (const auto& task : group.input->gone) had_others.insert(task.member_id);
    for (std::int32_t member = 0; member < group.member_count(); ++member) {
      had_tasks_[at(member)] = had_others.contains(group.members[at(member)]->member_id);
      note_earlier(member);
    }
  }

  plan_statistics measure(const flat_plan& measured) {
    std::vector<std::int32_t> active(group_.members.size());
    std::vector<std::int32_t> stateful(active.size());
    std::vector<std::int32_t> total(active.size());
    for (std::int32_t member = 0; member < group_.member_count(); ++member) {
      for (const auto task : measured.active.of(group_.place_of(member))) {
        ++active[at(member)];
        if (is_stateful(task)) ++stateful[at(member)];
        count_active(task, member);
      }
      total[at(member)] = active[at(member)];
      for (const auto task : measured.standby.of(group_.place_of(member))) {
        ++total[at(member)];
        count_standby(task, member);
      }
    }
    statistics_.active_per_member = spread_of(active);
    statistics_.stateful_active_per_member = spread_of(stateful);
    statistics_.total_per_member = spread_of(total);
    statistics_.active_per_process = spread_of(per_process(active));
    statistics_.active_load_per_thread = spread_of(per_thread(per_process(active)));
    statistics_.total_load_per_thread = spread_of(per_thread(per_process(total)));
    return statistics_;
  }

 private:
  void note_earlier(std::int32_t member) {
    if (!group_.active(member).empty() || !group_.standby(member).empty()) had_tasks_[at(member)] = true;
    for (const auto task : group_.active(member)) earlier(task, member).active = true;
    for (const auto task : group_.standby(member)) earlier(task, member).standby = true;
    for (const auto& [task, sum] : group_.offsets(member)) earlier(task, member).offset = true;
  }

  // What the member's process had of the task; noted as nothing if it is asked for the first time.
  earlier_copy& earlier(std::int32_t task, std::int32_t member) {
    auto& copies = earlier_[at(task)];
    const auto process = process_of(member);
    for (auto& copy : copies) {
      if (copy.process == process) return copy;
    }
    return copies.emplace_back(earlier_copy{process, false, false, false});
  }

  void count_active(std::int32_t task, std::int32_t member) {
    const auto& copies = earlier_[at(task)];
    const auto owner = holders_.owner(task);
    if (owner == nobody) {
      ++statistics_.orphans;
      const auto replica = [](const earlier_copy& copy) { return copy.standby || copy.offset; };
      if (std::any_of(copies.begin(), copies.end(), replica)) ++statistics_.orphans_with_replica;
      if (replica(earlier(task, member))) ++statistics_.orphans_to_replica;
    } else if (owner != member) {
      const bool across = process_of(owner) != process_of(member);
      ++statistics_.active_moved;
      if (had_tasks_[at(member)]) ++statistics_.active_moved_between_old_members;
      if (across) ++statistics_.active_moved_across_processes;
      if (across && is_stateful(task)) ++statistics_.stateful_active_moved_across_processes;
    }
    if (is_stateful(task) && is_cold(earlier(task, member))) ++statistics_.cold_stateful_active;
  }

  void count_standby(std::int32_t task, std::int32_t member) {
    const auto& copy = earlier(task, member);
    ++statistics_.standby_placed;
    if (copy.standby) ++statistics_.standby_kept;
    if (is_cold(copy)) ++statistics_.standby_cold;
  }

  static bool is_cold(const earlier_copy& copy) { return !copy.active && !copy.standby && !copy.offset; }

  [[nodiscard]] bool is_stateful(std::int32_t task) const {
    return group_.subtopologies[at(group_.subtopology_of(task))].stateful;
  }

  [[nodiscard]] std::int32_t process_of(std::int32_t member) const { return group_.process_of[at(member)]; }

  [[nodiscard]] std::vector<double> per_process(std::span<const std::int32_t> per_member) const {
    std::vector<double> sums(group_.threads.size(), 0);
    for (std::size_t member = 0; member < per_member.size(); ++member) {
      sums[at(group_.process_of[member])] += per_member[member];
    }
    return sums;
  }

  [[nodiscard]] std::vector<double> per_thread(std::vector<double> per_process) const {
    for (std::size_t process = 0; process < per_process.size(); ++process) {
      per_process[process] /= group_.threads[process];
    }
    return per_process;
  }

  template <class Count>
  static spread spread_of(const std::vector<Count>& counts) {
    if (counts.empty()) return {};
    const auto [min, max] = std::minmax_element(counts.begin(), counts.end());
    return {static_cast<double>(*min), static_cast<double>(*max)};
  }

  const dense_group& group_;
  holders holders_;
  std::vector<std::vector<earlier_copy>> earlier_;
  std::vector<bool> had_tasks_;
  plan_statistics statistics_;
};

}  // namespace

result<plan_statistics> measure(const plan& measured, const group_input& input) {
  const auto flat = numbered(measured, input);
  if (!flat) return tl::unexpected(flat.error());
  if (auto valid = validate(*flat, input); !valid) return tl::unexpected(valid.error());
  const auto group = dense_group::make(input);
  if (!group) return tl::unexpected(group.error());
  return measurement(*group).measure(*flat);
}

std::vector<std::pair<std::string_view, double>> plan_statistics::named() const {
  std::vector<std::pair<std::string_view, double>> figures;
  const auto count = [&](std::string_view name, std::int64_t value) {
    figures.emplace_back(name, static_cast<double>(value));
  };
  const auto both = [&](std::string_view min, std::string_view max, const spread& value) {
    figures.emplace_back(min, value.min);
    figures.emplace_back(max, value.max);
  };
  count("activeMoved", active_moved);
  count("activeMovedBetweenOldMembers", active_moved_between_old_members);
  count("activeMovedAcrossProcesses", active_moved_across_processes);
  count("statefulActiveMovedAcrossProcesses", stateful_active_moved_across_processes);
  count("orphans", orphans);
  count("orphansWithReplica", orphans_with_replica);
  count("orphansToReplica", orphans_to_replica);
  count("coldStatefulActive", cold_stateful_active);
  count("standbyPlaced", standby_placed);
  count("standbyKept", standby_kept);
  count("standbyCold", standby_cold);
  both("activePerMemberMin", "activePerMemberMax", active_per_member);
  both("statefulActivePerMemberMin", "statefulActivePerMemberMax", stateful_active_per_member);
  both("totalPerMemberMin", "totalPerMemberMax", total_per_member);
  both("activePerProcessMin", "activePerProcessMax", active_per_process);
  both("activeLoadPerThreadMin", "activeLoadPerThreadMax", active_load_per_thread);
  both("totalLoadPerThreadMin", "totalLoadPerThreadMax", total_load_per_thread);
  return figures;
}

}  // namespace weir::assignor
