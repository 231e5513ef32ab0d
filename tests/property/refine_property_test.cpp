// The way to the target on thousands of random groups: the invariants of spec 03, 9.2 (each step) and 9.3 (the whole
// way, with simulated members that restore what they are given), for the targets of both assignors.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "tests/property/sticky_invariants.hpp"
#include "tests/property/way.hpp"

namespace weir::assignor {
namespace {

using test::random_group;
using test::restoring_members;
using test::task;
using test::thread_mix;
using test::way;

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
    test::refined(test::target_of(random), random);
  });
}

constexpr auto all_of_it = [](const task&) { return 100; };

TEST(refine_property, c1_to_c6_if_all_catch_up_the_target_is_reached_in_as_few_steps_as_warm_ups_allow) {
  int ways = 0;
  each_group(250, [&](random_group& random) {
    restoring_members members;
    random.group.hold(test::target_of(random));
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
    random.group.hold(test::target_of(random));
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
    random.group.hold(test::target_of(random));
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

// W = 1, and some warm-ups never get on: they rest, so the others go on. `resting` is what the group room finds out by
// the clock (warm_up_test).
TEST(refine_property, c8_warm_ups_that_do_not_get_on_rest_and_everything_else_arrives) {
  int stuck_ways = 0;
  each_group(250, [&](random_group& random) {
    random.group.warmup_replicas = 1;
    random.group.keep_old_standbys = false;
    restoring_members members;
    random.group.hold(test::target_of(random));
    members.restore(random.group, all_of_it);
    random.change();
    way there(random);
    std::set<task> stuck;
    for (const auto& waiting : there.step().waiting) {
      if (random.pick(0, 2) == 0) stuck.emplace(waiting.subtopology_id, waiting.partition);
    }
    if (stuck.empty()) return;
    ++stuck_ways;
    test::stuck_places resting;
    const auto limit = 2 * there.first_waiting() + 2;
    for (std::int64_t looks = 0; looks < limit && !testing::Test::HasFailure(); ++looks) {
      there.go_on(members, [&](const task& of) { return stuck.contains(of) ? 10 : 100; }, test::lend(resting));
      test::note_stuck(there.step(), stuck, random.group, resting);
    }
    for (const auto& left : there.step().waiting) {
      EXPECT_TRUE(stuck.contains(task(left.subtopology_id, left.partition))) << test::to_scenario(random.group);
    }
  });
  EXPECT_GT(stuck_ways, 50);
}

// Reports that are lost, come late or twice, members that say nothing of what they have, a coordinator that forgets
// every offset: R1 to R6 are checked in each step, and once reports flow again the group arrives.
TEST(refine_property, c7_lost_late_and_forgotten_reports_delay_but_do_no_harm) {
  int disturbed = 0;
  each_group(150, [&](random_group& random) {
    restoring_members members;
    random.group.hold(test::target_of(random));
    members.restore(random.group, all_of_it);
    random.change();
    way there(random);
    auto earlier = random.group.members;
    for (int looks = 0; looks < 20 && !testing::Test::HasFailure(); ++looks) {
      const auto before = random.group.members;
      members.restore(random.group, [&](const task&) { return random.pick(0, 60); });
      test::disturb_reports(random, before, earlier);
      disturbed += there.step().waiting.empty() ? 0 : 1;
      there.look();
      if (random.pick(0, 3) == 0) earlier = before;
    }
    for (auto left = there.steps_max(); left > 0 && !testing::Test::HasFailure(); --left) {
      there.go_on(members, all_of_it);
    }
    there.expect_arrived();
  });
  EXPECT_GT(disturbed, 500);
}

// What the whole is for, over chains of changes and failures: at the end of every way each thread has its share within
// one, and a task stands still for a heartbeat for each move, instead of for as long as its state takes to restore.
TEST(refine_property, c9_at_the_end_all_is_even_and_little_stood_still) {
  constexpr std::int64_t heartbeats_to_restore = 5;
  test::moves warmed;
  test::moves direct;
  each_group(120, [&](random_group& random) {
    restoring_members members;
    random.group.hold(test::target_of(random));
    for (auto changes = random.pick(1, 5); changes > 0 && !testing::Test::HasFailure(); --changes) {
      members.restore(random.group, all_of_it);
      random.change();
      auto at_once = random;
      at_once.group.warmup_replicas = 0;
      const way moved(at_once);
      if (random.group.warmup_replicas == 0) random.group.warmup_replicas = 1;
      way there(random);
      for (auto left = there.steps_max(); left > 0 && !testing::Test::HasFailure(); --left) {
        there.go_on(members, all_of_it);
      }
      there.expect_arrived();
      test::expect_even_threads(there.step(), random.group);
      for (auto [sum, part] : {std::pair(&warmed, there.moved()), std::pair(&direct, moved.moved())}) {
        sum->warm += part.warm;
        sum->cold += part.cold;
      }
    }
  });
  const auto gap = [](const test::moves& m) { return m.warm + m.cold * (1 + heartbeats_to_restore); };
  std::cout << "C9: heartbeats in which a task did not run: " << gap(warmed) << " with warm-ups (" << warmed.warm
            << " moves to a warm copy, " << warmed.cold << " to none), " << gap(direct) << " without (" << direct.warm
            << ", " << direct.cold << ")\n";
  EXPECT_LT(gap(warmed), gap(direct));
  EXPECT_LE(warmed.cold, direct.cold);
}

}  // namespace
}  // namespace weir::assignor
