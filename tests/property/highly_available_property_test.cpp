// `highly_available` on thousands of random groups: the invariants of spec 03, 9.1. A failing case prints its seed and
// the group in the format of the golden statistics.
#include "assignor/highly_available.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "assignor/validate.hpp"
#include "tests/property/ha_group.hpp"
#include "tests/property/sticky_invariants.hpp"

namespace weir::assignor {
namespace {

using test::group_event;
using test::owned_group;
using test::random_group;
using test::task;
using test::thread_mix;

constexpr thread_mix mixes[] = {thread_mix::one, thread_mix::equal, thread_mix::mixed};

std::int64_t stateful_count(const task_set& tasks, const owned_group& group) {
  std::int64_t counted = 0;
  for (const auto& [id, partitions] : tasks) {
    if (test::is_stateful(group, id)) counted += static_cast<std::int64_t>(partitions.size());
  }
  return counted;
}

// T6 to T9: everybody's part of `tasks` is its share, rounded down or up.
void expect_fair(const std::map<std::string, std::int64_t>& counts, const std::map<std::string, std::int64_t>& threads,
                 std::int64_t tasks, std::int64_t members) {
  for (const auto& [who, counted] : counts) {
    const auto share = threads.at(who) * tasks;
    EXPECT_GE(counted, share / members) << who;
    EXPECT_LE(counted, (share + members - 1) / members) << who;
  }
}

void expect_balanced(const plan& made, const owned_group& group) {
  std::map<std::string, std::int64_t> one, threads, active, stateful, process_active, process_stateful;
  std::int64_t stateful_tasks = 0;
  for (const auto& subtopology : group.subtopologies) stateful_tasks += subtopology.stateful ? subtopology.tasks : 0;
  for (const auto& member : group.members) {
    const auto& tasks = made.at(member.id).active;
    one[member.id] = 1;
    ++threads[member.process];
    process_active[member.process] += active[member.id] = test::count(tasks);
    process_stateful[member.process] += stateful[member.id] = stateful_count(tasks, group);
  }
  const auto members = static_cast<std::int64_t>(group.members.size());
  expect_fair(active, one, test::task_count(group), members);
  expect_fair(stateful, one, stateful_tasks, members);
  expect_fair(process_active, threads, test::task_count(group), members);
  expect_fair(process_stateful, threads, stateful_tasks, members);
}

std::map<std::string, std::int64_t> stateful_by_process(const std::map<task, std::string>& running,
                                                        const owned_group& group) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& member : group.members) counts[member.process];
  for (const auto& [of, process] : running) counts[process] += test::is_stateful(group, of.first) ? 1 : 0;
  return counts;
}

// T11: no process loses more stateful tasks than it has above its new count.
void expect_minimal_moves(const plan& made, const owned_group& group) {
  const auto before = test::running(group);
  const auto after = test::running(made, group);
  std::int64_t moved = 0;
  for (const auto& [of, process] : before) moved += test::is_stateful(group, of.first) && after.at(of) != process;
  const auto held = stateful_by_process(before, group);
  std::int64_t needed = 0;
  for (const auto& [process, count] : stateful_by_process(after, group)) {
    needed += std::max<std::int64_t>(0, held.at(process) - count);
  }
  EXPECT_EQ(moved, needed) << "T11";
}

// Most tasks that can be matched, one process after the other.
std::int64_t maximum_matching(const std::vector<std::set<std::string>>& choices,
                              const std::map<std::string, std::int64_t>& room) {
  std::map<std::string, std::vector<std::size_t>> placed;
  std::set<std::string> seen;
  std::function<bool(std::size_t)> let_in = [&](std::size_t element) {
    for (const auto& process : choices[element]) {
      if (room.at(process) == 0 || !seen.insert(process).second) continue;
      auto& there = placed[process];
      if (static_cast<std::int64_t>(there.size()) < room.at(process)) {
        there.push_back(element);
        return true;
      }
      for (auto& other : there) {
        if (!let_in(other)) continue;
        std::replace(placed[process].begin(), placed[process].end(), other, element);
        return true;
      }
    }
    return false;
  };
  std::int64_t matched = 0;
  for (std::size_t element = 0; element < choices.size(); ++element) {
    seen.clear();
    matched += let_in(element) ? 1 : 0;
  }
  return matched;
}

// T12: of the tasks that get another process, as many as possible get one that has caught up.
void expect_maximum_matching(const plan& made, const owned_group& group) {
  const auto before = test::running(group);
  const auto copies = test::caught_up(group);
  std::map<std::string, std::int64_t> room;
  std::vector<std::set<std::string>> choices;
  std::int64_t warm = 0;
  for (const auto& member : group.members) room[member.process];
  for (const auto& [of, process] : test::running(made, group)) {
    const auto owner = before.find(of);
    if (!test::is_stateful(group, of.first) || (owner != before.end() && owner->second == process)) continue;
    ++room[process];
    const auto found = copies.find(of);
    if (found == copies.end()) continue;
    warm += found->second.contains(process) ? 1 : 0;
    choices.emplace_back();
    for (const auto& [holder, lag] : found->second) choices.back().insert(holder);
  }
  EXPECT_EQ(warm, maximum_matching(choices, room)) << "T12";
}

// Assigns and checks what holds in every result.
plan assign(random_group& random) {
  const auto made = test::assigned(highly_available{}, random.group);
  EXPECT_TRUE(made) << made.error().message;
  if (!made) return {};
  EXPECT_EQ(test::broken_copies(*made, random.group), "");
  expect_balanced(*made, random.group);
  expect_minimal_moves(*made, random.group);
  expect_maximum_matching(*made, random.group);
  random.shuffle();
  EXPECT_EQ(test::assigned(highly_available{}, random.group), made) << "T19";
  auto settled = random.group;
  settled.hold(*made);
  EXPECT_EQ(test::assigned(highly_available{}, settled), made) << "T13, T14";
  if (testing::Test::HasFailure()) ADD_FAILURE() << test::to_scenario(random.group);
  return *made;
}

// Calls check(random) for groups of each mix and stops at the first that fails.
template <class Check>
void each_group(std::uint64_t groups, Check check) {
  for (const auto mix : mixes) {
    for (std::uint64_t seed = 1; seed <= groups; ++seed) {
      SCOPED_TRACE("mix " + std::to_string(static_cast<int>(mix)) + ", seed " + std::to_string(seed));
      random_group random(seed, mix);
      if (seed % 3 == 0) test::tag_processes(random, seed % 2 == 0);
      check(random);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(highly_available_property, t1_to_t14_t19_first_placement) {
  each_group(700, [](random_group& random) {
    if (random.pick(0, 1) == 0) test::report_anything(random);
    assign(random);
  });
}

TEST(highly_available_property, t1_to_t14_t19_chains_of_events) {
  each_group(400, [](random_group& random) {
    random.group.hold(assign(random));
    for (auto steps = random.pick(1, 5); steps > 0 && !testing::Test::HasFailure(); --steps) {
      random.change();
      if (random.pick(0, 1) == 0) test::report_anything(random);
      random.group.hold(assign(random));
    }
  });
}

TEST(highly_available_property, t1_to_t14_t19_arbitrary_earlier_assignments) {
  each_group(700, [](random_group& random) {
    random.scatter();
    if (random.pick(0, 1) == 0) test::report_anything(random);
    assign(random);
  });
}

std::int64_t spread_of(const std::map<std::string, std::int64_t>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->second - least->second;
}

TEST(highly_available_property, t15_the_total_per_member_is_even_without_tags) {
  int cases = 0;
  int uneven = 0;
  each_group(500, [&](random_group& random) {
    if (random.mix() == thread_mix::mixed) return;
    random.group.rack_aware_tags.clear();
    random.group.hold(assign(random));
    for (auto steps = random.pick(1, 3); steps > 0; --steps) {
      random.change();
      if (random.mix() == thread_mix::mixed) return;
      const auto made = assign(random);
      std::map<std::string, std::int64_t> totals;
      for (const auto& [member, tasks] : made) totals[member] = test::count(tasks.active) + test::count(tasks.standby);
      ++cases;
      uneven += spread_of(totals) > 1 ? 1 : 0;
      EXPECT_LE(spread_of(totals), 2) << test::to_scenario(random.group);
      random.group.hold(made);
    }
  });
  EXPECT_GT(cases, 1'000);
  EXPECT_LE(uneven, cases / 1'000);
}

// Whether a group of at least three processes has two values of each key.
bool is_diverse(const owned_group& group) {
  std::map<std::string, std::set<std::string>> values;
  std::set<std::string> processes;
  for (const auto& member : group.members) {
    processes.insert(member.process);
    for (const auto& [key, value] : member.tags) values[key].insert(value);
  }
  return processes.size() >= 3 && values["zone"].size() >= 2 && values["rack"].size() >= 2;
}

// Values of each key where the copies of each stateful task are.
std::map<task, std::map<std::string, std::set<std::string>>> values_used(const plan& made, const owned_group& group) {
  std::map<task, std::map<std::string, std::set<std::string>>> used;
  for (const auto& member : group.members) {
    for (const auto* held : {&made.at(member.id).active, &made.at(member.id).standby}) {
      for (const auto& [id, partitions] : *held) {
        if (!test::is_stateful(group, id)) continue;
        for (const auto partition : partitions) {
          for (const auto& [key, value] : member.tags) used[{id, partition}][key].insert(value);
        }
      }
    }
  }
  return used;
}

TEST(highly_available_property, t16_every_task_uses_two_values_of_each_key_if_that_is_possible) {
  int tasks = 0;
  each_group(400, [&](random_group& random) {
    test::tag_processes(random, false);
    random.group.standby_replicas = random.pick(2, 3);
    if (!is_diverse(random.group)) return;
    random.scatter();
    const auto used = values_used(assign(random), random.group);
    for (const auto& [of, keys] : used) {
      ++tasks;
      for (const auto& [key, found] : keys) EXPECT_GE(found.size(), 2u) << of.first << '_' << of.second << ' ' << key;
    }
  });
  EXPECT_GT(tasks, 10'000);
}

TEST(highly_available_property, t17_survivors_keep_their_state_when_a_process_leaves) {
  int departures = 0;
  each_group(400, [&](random_group& random) {
    if (random.mix() == thread_mix::mixed) return;
    random.group.hold(assign(random));
    for (auto steps = random.pick(1, 5); steps > 0 && !testing::Test::HasFailure(); --steps) {
      const auto event = random.change();
      const auto made = assign(random);
      if (event == group_event::process_leaves && random.mix() != thread_mix::mixed) {
        ++departures;
        const auto after = test::running(made, random.group);
        for (const auto& [of, process] : test::running(random.group)) {
          if (test::is_stateful(random.group, of.first)) {
            EXPECT_EQ(after.at(of), process) << test::to_scenario(random.group);
          }
        }
      }
      random.group.hold(made);
    }
  });
  EXPECT_GT(departures, 100);
}

TEST(highly_available_property, t18_renaming_in_the_same_order_renames_the_result) {
  each_group(150, [](random_group& random) {
    random.scatter();
    test::report_anything(random);
    const auto made = assign(random);
    auto other = random.group;
    for (auto& member : other.members) {
      member.id = "x" + member.id;
      member.process = "host " + member.process;
    }
    plan expected;
    for (const auto& [member, tasks] : made) expected["x" + member] = tasks;
    EXPECT_EQ(test::assigned(highly_available{}, other), expected) << test::to_scenario(random.group);
  });
}

// With equal threads, also of each subtopology by itself.
TEST(highly_available_property, s8_3_each_subtopology_is_even_at_first_placement) {
  each_group(700, [](random_group& random) {
    if (random.mix() == thread_mix::mixed) return;
    const auto made = assign(random);
    for (const auto& subtopology : random.group.subtopologies) {
      std::map<std::string, std::int64_t> counts;
      for (const auto& [member, tasks] : made) {
        const auto found = tasks.active.find(subtopology.id);
        counts[member] = found == tasks.active.end() ? 0 : static_cast<std::int64_t>(found->second.size());
      }
      EXPECT_LE(spread_of(counts), 1) << subtopology.id << test::to_scenario(random.group);
    }
  });
}

TEST(highly_available_property, t20_standbys_of_one_process_are_spread_over_the_others) {
  int pairs = 0;
  int crowded = 0;
  each_group(500, [&](random_group& random) {
    if (random.mix() == thread_mix::mixed) return;
    random.group.rack_aware_tags.clear();
    const auto made = assign(random);
    const auto active = test::running(made, random.group);
    std::map<std::pair<std::string, std::string>, std::int64_t> shared;
    std::set<std::string> processes;
    for (const auto& member : random.group.members) {
      processes.insert(member.process);
      for (const auto& [id, partitions] : made.at(member.id).standby) {
        for (const auto partition : partitions) ++shared[{active.at({id, partition}), member.process}];
      }
    }
    const auto others = static_cast<std::int64_t>(processes.size()) - 1;
    const auto counts = stateful_by_process(active, random.group);
    for (const auto& [pair, count] : shared) {
      const auto standbys = counts.at(pair.first) * std::min<std::int64_t>(random.group.standby_replicas, others);
      ++pairs;
      crowded += count > (standbys + others - 1) / others + 1 ? 1 : 0;
    }
  });
  EXPECT_GT(pairs, 5'000);
  EXPECT_LE(crowded, pairs * 65 / 1'000) << "T20";
}

}  // namespace
}  // namespace weir::assignor
