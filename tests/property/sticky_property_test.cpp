// `sticky` on thousands of random groups: the invariants of spec 03, sections 4.1 and 4.2, in their conditions, and T18
// and T19 of 9.1. A failing case prints its seed and the group in the format of the golden statistics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assignor/plan_diff.hpp"
#include "assignor/sticky.hpp"
#include "assignor/validate.hpp"
#include "tests/property/random_group.hpp"
#include "tests/property/sticky_invariants.hpp"

namespace weir::assignor {
namespace {

using test::group_event;
using test::owned_group;
using test::random_group;
using test::thread_mix;

// Which random groups a test looks at.
struct sample {
  std::vector<thread_mix> mixes;
  std::uint64_t groups_of_each_mix;
};

const sample all_mixes{{thread_mix::one, thread_mix::equal, thread_mix::mixed}, 1'000};
const sample one_thread{{thread_mix::one}, 1'000};
const sample several_threads{{thread_mix::equal, thread_mix::mixed}, 400};

// Assigns and checks what holds in every result: S1 to S10, S11 (T19: also in another order of input, unless ties are
// Kafka's, which visits members of one hash bucket in that order), T1 to T5 by the room's own check.
plan assign_with(ties how, random_group& random) {
  const sticky assignor(how);
  const auto made = test::assigned(assignor, random.group);
  EXPECT_TRUE(made) << made.error().message;
  if (!made) return {};
  EXPECT_EQ(test::broken_invariant(*made, random.group), "") << test::to_scenario(random.group);
  if (how == ties::by_id) random.shuffle();
  EXPECT_EQ(test::assigned(assignor, random.group), made) << "S11, T19\n" << test::to_scenario(random.group);
  return *made;
}

plan assign(random_group& random) { return assign_with(ties::by_id, random); }

// Calls check(random) for a random group of each seed and mix, and stops at the first group that fails.
template <class Check>
void each_group(const sample& groups, Check check) {
  for (const auto mix : groups.mixes) {
    for (std::uint64_t seed = 1; seed <= groups.groups_of_each_mix; ++seed) {
      SCOPED_TRACE("mix " + std::to_string(static_cast<int>(mix)) + ", seed " + std::to_string(seed));
      random_group random(seed, mix);
      check(random);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// Gives each group a chain of 1 to 6 events, each followed by an assignment that the members then hold. Calls
// check(random, event, made) after each assignment, while the members still hold the earlier one.
template <class Check>
void each_step(const sample& groups, Check check) {
  each_group(groups, [&](random_group& random) {
    random.group.hold(assign(random));
    for (auto steps = random.pick(1, 6); steps > 0; --steps) {
      const auto event = random.change();
      const auto made = assign(random);
      if (testing::Test::HasFailure()) return;
      check(random, event, made);
      random.group.hold(made);
    }
  });
}

std::int64_t unevenness(const std::map<std::string, std::int64_t>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->second - least->second;
}

void expect_active_per_member_even(const plan& made) {
  EXPECT_LE(unevenness(test::active_per_member(made)), 1) << "Q1";
}

void expect_active_per_process_even(const plan& made, const owned_group& group) {
  EXPECT_LE(unevenness(test::active_per_process(made, group)), 1) << "Q2";
}

// What one more run on the result gives.
plan run_again(const plan& made, owned_group group) {
  group.hold(made);
  return test::assigned(sticky{}, group).value_or(plan{});
}

bool same_active(const plan& again, const plan& made) {
  return std::all_of(made.begin(), made.end(),
                     [&](const auto& entry) { return again.at(entry.first).active == entry.second.active; });
}

// What an event tells of a new target, also of tasks that are gone and of claims of several members.
TEST(sticky_property, moves_by_number_are_those_by_name) {
  std::size_t found = 0;
  each_group({all_mixes.mixes, 200}, [&](random_group& random) {
    random.scatter();
    random.group.subtopologies.front().tasks /= 2;
    const auto input = random.group.input();
    const auto flat = checked_assign(sticky{}, input).value();
    auto expected = diff(current_plan(input), named(flat, input));
    for (const auto role : {task_role::active, task_role::standby}) {
      for (const auto& move : moves_to(flat, input, role)) {
        const task_move told{std::string(move.subtopology_id), move.partition, role, std::string(move.from_member),
                             std::string(move.to_member)};
        const auto same = std::find(expected.begin(), expected.end(), told);
        ASSERT_NE(same, expected.end()) << test::to_scenario(random.group);
        expected.erase(same);
        ++found;
      }
    }
    EXPECT_TRUE(expected.empty()) << test::to_scenario(random.group);
  });
  EXPECT_GT(found, 10'000U);
}

TEST(sticky_property, s1_to_s11_hold_with_kafkas_ties) {
  const sample some{{thread_mix::one, thread_mix::equal, thread_mix::mixed}, 150};
  each_group(some, [&](random_group& random) {
    random.group.hold(assign_with(ties::as_kafka, random));
    random.change();
    assign_with(ties::as_kafka, random);
  });
  each_group(some, [&](random_group& random) {
    random.scatter();
    assign_with(ties::as_kafka, random);
  });
}

TEST(sticky_property, s1_to_s11_q1_to_q3_first_placement) {
  each_group(all_mixes, [](random_group& random) {
    const auto made = assign(random);
    expect_active_per_member_even(made);
    if (random.mix() != thread_mix::mixed) expect_active_per_process_even(made, random.group);
    EXPECT_TRUE(same_active(run_again(made, random.group), made)) << "Q3\n" << test::to_scenario(random.group);
  });
}

TEST(sticky_property, s1_to_s11_arbitrary_earlier_assignments) {
  each_group(all_mixes, [](random_group& random) {
    random.scatter();
    const auto made = assign(random);
    expect_active_per_member_even(made);
    EXPECT_TRUE(same_active(run_again(made, random.group), made)) << "Q3\n" << test::to_scenario(random.group);
    if (random.mix() == thread_mix::one) expect_active_per_process_even(made, random.group);
  });
}

TEST(sticky_property, s12_survivors_lose_nothing_when_others_leave_or_partitions_are_added) {
  each_group({all_mixes.mixes, 700}, [](random_group& random) {
    auto held = assign(random);
    for (auto steps = random.pick(1, 6); steps > 0; --steps) {
      random.group.hold(held);
      const auto event = random.change();
      held = assign(random);
      if (testing::Test::HasFailure()) return;
      const bool members_or_partitions = event == group_event::process_leaves || event == group_event::thread_leaves ||
                                         event == group_event::partitions_added;
      if (!members_or_partitions) continue;
      for (const auto& [member, lost] : test::active_lost(held, random.group)) {
        EXPECT_EQ(lost, 0) << member << '\n' << test::to_scenario(random.group);
      }
    }
  });
}

TEST(sticky_property, q1_to_q3_one_thread_per_process_in_chains) {
  each_step(one_thread, [](const random_group& random, group_event, const plan& made) {
    expect_active_per_member_even(made);
    expect_active_per_process_even(made, random.group);
    EXPECT_TRUE(same_active(run_again(made, random.group), made)) << "Q3\n" << test::to_scenario(random.group);
  });
}

// Q1 and Q3 hold with several threads, too, where Kafka does not guarantee them; Q4 is to stay near the reference's 6.8
// to 10 % of chain steps (4.2).
TEST(sticky_property, q1_q3_several_threads_in_chains_and_q4_rarely_fails) {
  int steps = 0;
  int differs = 0;
  each_step(several_threads, [&](const random_group& random, group_event, const plan& made) {
    const auto again = run_again(made, random.group);
    ++steps;
    expect_active_per_member_even(made);
    EXPECT_TRUE(same_active(again, made)) << "Q3\n" << test::to_scenario(random.group);
    if (again != made) ++differs;
  });
  EXPECT_GT(steps, 1'000);
  EXPECT_LT(differs, steps * 12 / 100) << "Q4";
}

TEST(sticky_property, q5_one_thread_per_process_reaches_a_fixed_point_nearly_always_within_three_runs) {
  int steps = 0;
  int late = 0;
  each_step(one_thread, [&](const random_group& random, group_event, const plan& made) {
    int runs = 0;
    auto last = made;
    for (auto next = run_again(last, random.group); next != last && runs < 20; ++runs) {
      last = std::exchange(next, run_again(next, random.group));
    }
    EXPECT_LT(runs, 20) << test::to_scenario(random.group);
    ++steps;
    if (runs > 3) ++late;
  });
  EXPECT_LE(late, steps / 1'000);
}

TEST(sticky_property, q6_one_thread_per_process_a_joining_process_takes_only_for_itself) {
  each_step(one_thread, [](const random_group& random, group_event event, const plan& made) {
    if (event != group_event::process_joins) return;
    for (const auto& member : random.group.members) {
      if (member.active.empty() && member.standby.empty()) continue;
      for (const auto& [subtopology, partitions] : made.at(member.id).active) {
        for (const auto partition : partitions) {
          EXPECT_TRUE(test::contains(member.active, subtopology, partition)) << test::to_scenario(random.group);
        }
      }
    }
  });
}

// The restarted member of a group with one thread per process, and what becomes of the free tasks it reported.
struct return_of_tasks {
  int to_standby = 0;  // of another member
  int cold = 0;        // to a member without state
};

return_of_tasks follow_free_tasks(const owned_group& group, const std::string& process, const plan& made) {
  return_of_tasks result;
  const auto restarted = std::find_if(group.members.begin(), group.members.end(),
                                      [&](const test::owned_member& member) { return member.process == process; });
  for (const auto& [subtopology, offsets] : restarted->offsets) {
    for (const auto& [partition, offset] : offsets) {
      const auto holds = [&, id = subtopology, number = partition](const auto& member) {
        return test::contains(member.active, id, number);
      };
      if (std::any_of(group.members.begin(), group.members.end(), holds)) continue;  // not free
      const auto owner = std::find_if(group.members.begin(), group.members.end(),
                                      [&](const test::owned_member& member) { return holds(made.at(member.id)); });
      if (owner == restarted) continue;
      ++(test::contains(owner->standby, subtopology, partition) ? result.to_standby : result.cold);
    }
  }
  return result;
}

// It may be one task short where a standby elsewhere has the smaller share (golden scenario s050): no task starts cold.
TEST(sticky_property, q7_one_thread_per_process_a_restarted_process_gets_its_free_stateful_tasks_back) {
  each_step(one_thread, [](const random_group& random, group_event event, const plan& made) {
    if (event != group_event::process_restarts) return;
    const auto followed = follow_free_tasks(random.group, random.last_process(), made);
    EXPECT_EQ(followed.cold, 0) << test::to_scenario(random.group);
    EXPECT_LE(followed.to_standby, random.group.standby_replicas == 0 ? 0 : 1) << test::to_scenario(random.group);
  });
}

// A map of ids that keeps their order and nothing else.
template <class Ids>
std::map<std::string, std::string> new_names(const Ids& ids, const char* prefix) {
  std::map<std::string, std::string> names;
  int number = 1'000;
  for (const auto& id : ids) names[id] = prefix + std::to_string(number += 7);
  return names;
}

task_set renamed(const task_set& tasks, const std::map<std::string, std::string>& names) {
  task_set result;
  for (const auto& [id, partitions] : tasks) result[names.at(id)] = partitions;
  return result;
}

TEST(sticky_property, t18_renaming_in_the_same_order_renames_the_result) {
  each_step({all_mixes.mixes, 200}, [](const random_group& random, group_event, const plan& made) {
    std::set<std::string> member_ids;
    std::set<std::string> process_ids;
    std::set<std::string> subtopology_ids;
    for (const auto& member : random.group.members) {
      member_ids.insert(member.id);
      process_ids.insert(member.process);
    }
    for (const auto& subtopology : random.group.subtopologies) subtopology_ids.insert(subtopology.id);
    const auto members = new_names(member_ids, "");
    const auto processes = new_names(process_ids, "host ");
    const auto subtopologies = new_names(subtopology_ids, "sub");

    auto other = random.group;
    for (auto& member : other.members) {
      test::offset_sums offsets;
      for (const auto& [id, sums] : member.offsets) offsets[subtopologies.at(id)] = sums;
      member = {members.at(member.id), processes.at(member.process), renamed(member.active, subtopologies),
                renamed(member.standby, subtopologies), offsets};
    }
    for (auto& subtopology : other.subtopologies) subtopology.id = subtopologies.at(subtopology.id);
    plan expected;
    for (const auto& [member, tasks] : made) {
      expected[members.at(member)] = {renamed(tasks.active, subtopologies), renamed(tasks.standby, subtopologies)};
    }
    EXPECT_EQ(test::assigned(sticky{}, other), expected) << test::to_scenario(random.group);
  });
}

}  // namespace
}  // namespace weir::assignor
