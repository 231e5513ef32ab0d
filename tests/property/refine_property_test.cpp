// The way to the target on thousands of random groups: the invariants of spec 03, 9.2 (each step) and 9.3 (the whole
// way, with simulated members that restore what they are given), for the targets of both assignors.
#include "assignor/refine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assignor/highly_available.hpp"
#include "assignor/sticky.hpp"
#include "tests/property/ha_group.hpp"
#include "tests/property/sticky_invariants.hpp"

namespace weir::assignor {
namespace {

using test::owned_group;
using test::random_group;
using test::restoring_members;
using test::task;
using test::thread_mix;

plan target_of(random_group& random) {
  const highly_available planner;
  const sticky kafkas;
  const assignor& chosen = random.pick(0, 3) == 0 ? static_cast<const assignor&>(kafkas) : planner;
  return chosen.assign(random.group.input()).value();
}

std::int64_t warmups(const interim& made) {
  std::int64_t counted = 0;
  for (const auto& [member, tasks] : made.members) counted += test::count(tasks.warmup);
  return counted;
}

// R2, and the first half of R3: who holds what in which role.
void expect_one_role(const interim& made, const owned_group& group) {
  std::map<task, std::multiset<std::string>> processes;
  for (const auto& member : group.members) {
    const auto& tasks = made.members.at(member.id);
    for (const auto* held : {&tasks.active, &tasks.standby, &tasks.warmup}) {
      for (const auto& [id, partitions] : *held) {
        if (held != &tasks.active) {
          EXPECT_TRUE(test::is_stateful(group, id)) << "R3";
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
  const auto before = test::running(group);
  const auto wanted = test::running(target, group);
  const auto now = test::running(made, group);
  const auto copies = test::caught_up(group);
  const auto silent = silent_processes(group);
  std::int64_t active = 0;
  for (const auto& [member, tasks] : made.members) active += test::count(tasks.active);
  EXPECT_EQ(active, test::task_count(group)) << "R1";
  EXPECT_EQ(now.size(), wanted.size()) << "R1";
  for (const auto& [of, process] : now) {
    const bool is_free = !test::is_stateful(group, of.first) || group.warmup_replicas == 0;
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

interim refined(const plan& target, random_group& random) {
  const auto& group = random.group;
  const auto made = refine(target, group.input());
  EXPECT_TRUE(made) << made.error().message;
  if (!made) return {};
  EXPECT_LE(warmups(*made), group.warmup_replicas) << "R3";
  expect_one_role(*made, group);
  expect_right_place(*made, target, group);
  expect_standbys(*made, target);
  random.shuffle();
  EXPECT_EQ(refine(target, random.group.input()), made) << "R8: another order of input";
  if (testing::Test::HasFailure()) ADD_FAILURE() << test::to_scenario(group);
  return *made;
}

template <class Check>
void each_group(std::uint64_t groups, Check check) {
  for (const auto mix : {thread_mix::one, thread_mix::equal, thread_mix::mixed}) {
    for (std::uint64_t seed = 1; seed <= groups; ++seed) {
      SCOPED_TRACE("mix " + std::to_string(static_cast<int>(mix)) + ", seed " + std::to_string(seed));
      random_group random(seed, mix);
      random.group.warmup_replicas = random.pick(0, 4);
      random.group.keep_old_standbys = random.pick(0, 1) == 0;
      if (random.pick(0, 2) == 0) test::tag_processes(random, true);
      check(random);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(refine_property, r1_to_r9_any_state_and_any_report) {
  each_group(700, [](random_group& random) {
    random.scatter();
    for (auto& member : random.group.members) {
      for (auto& [id, partitions] : member.standby) {
        if (test::is_stateful(random.group, id) && random.pick(0, 2) == 0) std::swap(member.warmup[id], partitions);
      }
    }
    test::report_anything(random);
    const auto silent = random.group.members.front().process;
    const bool has_silent = random.pick(0, 1) == 0;
    for (auto& member : random.group.members) member.reports_offsets = !has_silent || member.process != silent;
    refined(target_of(random), random);
  });
}

// The whole way from one state to the target of a changed group; `restore` says how members get on between two steps.
class way {
 public:
  explicit way(random_group& random) : random_(random), target_(target_of(random)), step_(refined(target_, random)) {
    for (const auto& [of, process] : test::running(random.group)) at_[of] = process;
    take_step();
    first_waiting_ = static_cast<std::int64_t>(step_.waiting.size());
  }

  template <class Progress>
  void go_on(restoring_members& members, Progress progress) {
    members.restore(random_.group, progress);
    const auto next = refined(target_, random_);
    if (next == step_) return;
    EXPECT_LT(next.waiting.size(), step_.waiting.size()) << "C4, C6: a step that brings nothing";
    step_ = next;
    take_step();
  }

  [[nodiscard]] const interim& step() const { return step_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t first_waiting() const { return first_waiting_; }

  // C1's bound.
  [[nodiscard]] std::int64_t steps_max() const {
    const auto at_once = std::max(1, random_.group.warmup_replicas);
    return (first_waiting_ + at_once - 1) / at_once + 1;
  }

  // C2.
  void expect_arrived() const {
    EXPECT_TRUE(step_.waiting.empty());
    EXPECT_EQ(warmups(step_), 0);
    for (const auto& [member, tasks] : step_.members) {
      EXPECT_EQ(tasks.active, target_.at(member).active) << "C2";
      EXPECT_EQ(tasks.standby, target_.at(member).standby) << "C2";
    }
  }

 private:
  void take_step() {
    ++steps_;
    random_.group.hold(step_);
    const auto unchanged = refine(target_, random_.group.input());
    EXPECT_EQ(unchanged, step_) << "C6: a step without any news";
    for (const auto& [of, process] : test::running(step_, random_.group)) {
      const auto [known, is_new] = at_.try_emplace(of, process);
      if (!test::is_stateful(random_.group, of.first)) continue;
      if (!is_new && known->second != process) {
        EXPECT_LE(++changes_[of], 1) << "C3: moved twice";
      }
      known->second = process;
    }
  }

  random_group& random_;
  plan target_;
  interim step_;
  std::int64_t steps_ = 0;
  std::int64_t first_waiting_ = 0;
  std::map<task, std::string> at_;  // where tasks run; orphans: since they started
  std::map<task, int> changes_;
};

constexpr auto all_of_it = [](const task&) { return 100; };

TEST(refine_property, c1_to_c6_if_all_catch_up_the_target_is_reached_in_as_few_steps_as_warm_ups_allow) {
  int ways = 0;
  each_group(250, [&](random_group& random) {
    restoring_members members;
    random.group.hold(target_of(random));
    for (auto changes = random.pick(1, 5); changes > 0 && !testing::Test::HasFailure(); --changes) {
      members.restore(random.group, all_of_it);
      random.change();
      way there(random);
      const bool is_interrupted = random.pick(0, 2) == 0;  // C5
      while (!there.step().waiting.empty() && there.steps() <= there.steps_max() && !testing::Test::HasFailure()) {
        there.go_on(members, all_of_it);
        if (is_interrupted) break;
      }
      EXPECT_LE(there.steps(), there.steps_max()) << "C1";
      if (!is_interrupted) there.expect_arrived();
      ways += there.first_waiting() > 0 ? 1 : 0;
    }
  });
  EXPECT_GT(ways, 200);
}

TEST(refine_property, c3_c4_noisy_reports_promote_each_task_once_and_never_turn_back) {
  int noisy = 0;
  each_group(120, [&](random_group& random) {
    restoring_members members;
    random.group.hold(target_of(random));
    members.restore(random.group, all_of_it);
    random.change();
    way there(random);
    for (int reports = 0; reports < 60 && !testing::Test::HasFailure(); ++reports) {
      restoring_members forgetful;  // each report is as good as a new one
      forgetful.restore(random.group, [&](const task&) { return random.pick(80, 92); });
      there.go_on(forgetful, [&](const task&) { return random.pick(80, 92); });
      noisy += there.step().waiting.empty() ? 0 : 1;
    }
    EXPECT_LE(there.steps(), there.first_waiting() + 1) << "at least one promotion a step";
  });
  EXPECT_GT(noisy, 1'000);
}

TEST(refine_property, c8_a_warm_up_that_never_catches_up_blocks_its_own_slot_only) {
  int stuck_ways = 0;
  each_group(250, [&](random_group& random) {
    random.group.warmup_replicas = random.pick(2, 4);
    random.group.keep_old_standbys = false;  // else the task might need two slots
    restoring_members members;
    random.group.hold(target_of(random));
    members.restore(random.group, all_of_it);
    random.change();
    way there(random);
    if (there.step().waiting.empty()) return;
    ++stuck_ways;
    const auto& first = there.step().waiting.front();
    const task stuck(first.subtopology_id, first.partition);
    const auto limit = there.first_waiting() + 2;
    for (std::int64_t reports = 0; reports < limit && !testing::Test::HasFailure(); ++reports) {
      there.go_on(members, [&](const task& of) { return of == stuck ? 10 : 100; });
    }
    for (const auto& left : there.step().waiting) {
      EXPECT_EQ(task(left.subtopology_id, left.partition), stuck) << test::to_scenario(random.group);
    }
  });
  EXPECT_GT(stuck_ways, 50);
}

}  // namespace
}  // namespace weir::assignor
