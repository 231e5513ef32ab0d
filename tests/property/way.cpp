#include "tests/property/way.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "assignor/highly_available.hpp"
#include "assignor/sticky.hpp"
#include "tests/property/sticky_invariants.hpp"

namespace weir::assignor::test {

namespace {

// R2, and the first half of R3: who holds what in which role.
void expect_one_role(const interim& made, const owned_group& group) {
  std::map<task, std::multiset<std::string>> processes;
  for (const auto& member : group.members) {
    const auto& tasks = made.members.at(member.id);
    for (const auto* held : {&tasks.active, &tasks.standby, &tasks.warmup}) {
      for (const auto& [id, partitions] : *held) {
        if (held != &tasks.active) {
          EXPECT_TRUE(is_stateful(group, id)) << "R3";
        }
        for (const auto partition : partitions) processes[{id, partition}].insert(member.process);
      }
    }
  }
  for (const auto& [of, all] : processes) {
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "R2 " << of.first << '_' << of.second;
  }
}

std::set<std::string> silent_processes(const owned_group& group) {
  std::set<std::string> silent;
  for (const auto& member : group.members) {
    if (!member.reports_offsets) silent.insert(member.process);
  }
  return silent;
}

// R1, R4, R5, R9.
void expect_right_place(const interim& made, const plan& target, const owned_group& group) {
  const auto before = running(group);
  const auto wanted = running(target, group);
  const auto now = running(made, group);
  const auto copies = caught_up(group);
  const auto silent = silent_processes(group);
  std::int64_t active = 0;
  for (const auto& [member, tasks] : made.members) active += count(tasks.active);
  EXPECT_EQ(active, task_count(group)) << "R1";
  EXPECT_EQ(now.size(), wanted.size()) << "R1";
  for (const auto& [of, process] : now) {
    const bool is_free = !is_stateful(group, of.first) || group.warmup_replicas == 0;
    if (is_free) {
      EXPECT_EQ(process, wanted.at(of)) << "R7, R9";
    }
    if (is_free || silent.contains(process)) continue;
    const auto found = copies.find(of);
    const bool is_warm = found != copies.end() && found->second.contains(process);
    const auto owner = before.find(of);
    if (owner != before.end()) {
      EXPECT_TRUE(owner->second == process || is_warm) << "R4";
    }
    if (owner == before.end() && found != copies.end()) {
      EXPECT_TRUE(is_warm) << "R5";
    }
  }
}

// R6.
void expect_standbys(const interim& made, const plan& target) {
  std::map<task, std::int64_t> missing;
  const auto count = [&](const task_set& tasks, std::int64_t by) {
    for (const auto& [id, partitions] : tasks) {
      for (const auto partition : partitions) missing[{id, partition}] += by;
    }
  };
  for (const auto& [member, tasks] : target) count(tasks.standby, 1);
  for (const auto& [member, tasks] : made.members) count(tasks.standby, -1);
  for (const auto& [of, number] : missing) {
    EXPECT_LE(number, 1) << "R6 " << of.first << '_' << of.second;
  }
}

// Whoever is named holds something else than the target says, and without anything to wait for nobody is.
void expect_named(const interim& made, const plan& target) {
  for (const auto& [member, tasks] : made.members) {
    const auto& wanted = target.at(member);
    EXPECT_NE(tasks, (interim_tasks{wanted.active, wanted.standby, {}})) << member;
  }
  EXPECT_TRUE(!made.waiting.empty() || made.members.empty());
}

}  // namespace

plan target_of(random_group& random) {
  const highly_available planner;
  const sticky kafkas;
  const assignor& chosen = random.pick(0, 3) == 0 ? static_cast<const assignor&>(kafkas) : planner;
  return assigned(chosen, random.group).value();
}

std::int64_t warmups(const interim& made) {
  std::int64_t counted = 0;
  for (const auto& [member, tasks] : made.members) counted += count(tasks.warmup);
  return counted;
}

interim refined(const plan& target, random_group& random, const std::vector<stuck_warm_up>& resting) {
  const auto& group = random.group;
  const auto input = [&] {
    auto lent = group.input();
    lent.stuck = resting;
    return lent;
  };
  const auto made = refine_to(target, input());
  EXPECT_TRUE(made) << made.error().message;
  if (!made) return {};
  expect_named(*made, target);
  const auto step = complete(*made, target, group);
  EXPECT_LE(warmups(step), group.warmup_replicas) << "R3";
  expect_one_role(step, group);
  expect_right_place(step, target, group);
  expect_standbys(step, target);
  random.shuffle();
  EXPECT_EQ(refine_to(target, input()), made) << "R8: another order of input";
  if (::testing::Test::HasFailure()) ADD_FAILURE() << to_scenario(group);
  return step;
}


way::way(random_group& random)
    : random_(random), target_(target_of(random)), step_(refined(target_, random, {})) {
  for (const auto& [of, process] : running(random.group)) at_[of] = process;
  take_step();
  first_waiting_ = static_cast<std::int64_t>(step_.waiting.size());
}

void way::look(const std::vector<stuck_warm_up>& resting) {
  const auto next = refined(target_, random_, resting);
  if (next == step_) return;
  const auto most = step_.waiting.size() - (resting.empty() ? 1 : 0);
  EXPECT_LE(next.waiting.size(), most) << "C4, C6: a step that brings nothing";
  step_ = next;
  take_step();
}

std::int64_t way::steps_max() const {
  const auto at_once = std::max(1, random_.group.warmup_replicas);
  return (first_waiting_ + at_once - 1) / at_once + 1;
}

void way::expect_arrived() const {
  EXPECT_TRUE(step_.waiting.empty());
  EXPECT_EQ(warmups(step_), 0);
  for (const auto& [member, tasks] : step_.members) {
    EXPECT_EQ(tasks.active, target_.at(member).active) << "C2";
    EXPECT_EQ(tasks.standby, target_.at(member).standby) << "C2";
  }
}

void way::take_step() {
  ++steps_;
  const auto warm = caught_up(random_.group);
  random_.group.hold(step_);
  const auto unchanged = refine_to(target_, random_.group.input());
  EXPECT_EQ(complete(unchanged.value_or(interim{}), target_, random_.group), step_) << "C6: a step without any news";
  for (const auto& [of, process] : running(step_, random_.group)) {
    const auto [known, is_new] = at_.try_emplace(of, process);
    if (!is_stateful(random_.group, of.first)) continue;
    if (is_new || known->second != process) note_move(of, process, warm);
    if (!is_new && known->second != process) {
      EXPECT_LE(++changes_[of], 1) << "C3: moved twice";
    }
    known->second = process;
  }
}

void way::note_move(const task& of, const std::string& to,
                    const std::map<task, std::map<std::string, std::int64_t>>& warm) {
  const auto copies = warm.find(of);
  ++(copies != warm.end() && copies->second.contains(to) ? moves_.warm : moves_.cold);
}

void note_stuck(const interim& step, const std::set<task>& stuck, const owned_group& group, stuck_places& places) {
  for (const auto& member : group.members) {
    for (const auto& [id, partitions] : step.members.at(member.id).warmup) {
      for (const auto partition : partitions) {
        const task of(id, partition);
        if (stuck.contains(of)) places.emplace(of, member.process);
      }
    }
  }
}

std::vector<stuck_warm_up> lend(const stuck_places& places) {
  std::vector<stuck_warm_up> lent;
  for (const auto& [of, process] : places) lent.push_back({of.first, of.second, process});
  return lent;
}

void disturb_reports(random_group& random, const std::vector<owned_member>& before,
                     const std::vector<owned_member>& earlier) {
  const bool forgets_all = random.pick(0, 9) == 0;
  for (auto& member : random.group.members) {
    const auto what = forgets_all ? 2 : random.pick(0, 5);
    if (what > 2) continue;
    const auto& source = what == 0 ? before : earlier;
    const auto found = std::find_if(source.begin(), source.end(), [&](const auto& m) { return m.id == member.id; });
    const bool is_known = what < 2 && found != source.end();
    member.offsets = is_known ? found->offsets : offset_sums{};
    member.end_offsets = is_known ? found->end_offsets : offset_sums{};
  }
}

void expect_even_threads(const interim& step, const owned_group& group) {
  std::map<std::string, std::pair<double, double>> processes;  // tasks, threads
  for (const auto& member : group.members) {
    auto& [tasks, threads] = processes[member.process];
    tasks += static_cast<double>(count(step.members.at(member.id).active));
    threads += 1;
  }
  double least = std::numeric_limits<double>::max();
  double most = 0;
  for (const auto& [process, of] : processes) {
    least = std::min(least, of.first / of.second);
    most = std::max(most, of.first / of.second);
  }
  EXPECT_LE(most - least, 1.0 + 1e-9) << to_scenario(group);
}

}  // namespace weir::assignor::test
