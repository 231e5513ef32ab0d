#include "tests/property/random_group.hpp"

#include <algorithm>
#include <set>

namespace weir::assignor::test {

random_group::random_group(std::uint64_t seed, thread_mix mix) : engine_(seed), mix_(mix) {
  threads_ = mix == thread_mix::equal ? pick(1, 4) : 1;
  const auto process_count = pick(1, 12);
  for (std::int32_t i = 0; i < process_count; ++i) add_process(mix == thread_mix::mixed ? pick(1, 5) : threads_);
  const auto subtopologies = pick(1, 5);
  for (std::int32_t i = 0; i < subtopologies; ++i) {
    group.subtopologies.push_back({std::to_string(i), pick(1, 40), pick(0, 2) != 0});
  }
  group.standby_replicas = pick(0, 3);
}

group_event random_group::change() {
  const auto event = pick_event();
  last_process_ = any_process();
  carry_out(event);
  if (event == group_event::thread_joins || event == group_event::thread_leaves) mix_ = thread_mix::mixed;
  return event;
}

group_event random_group::pick_event() {
  const auto event = static_cast<group_event>(pick(0, 7));
  const bool threads_change = event == group_event::thread_joins || event == group_event::thread_leaves;
  if (threads_change && mix_ == thread_mix::one) return group_event::process_joins;
  if (event == group_event::process_leaves && processes().size() == 1) return group_event::process_joins;
  if (event == group_event::thread_leaves && group.members.size() == 1) return group_event::thread_joins;
  return event;
}

void random_group::carry_out(group_event event) {
  switch (event) {
    case group_event::nothing: break;
    case group_event::process_joins: add_process(mix_ == thread_mix::mixed ? pick(1, 5) : threads_); break;
    case group_event::process_leaves: remove_process(last_process_); break;
    case group_event::thread_joins: add_member(last_process_); break;
    case group_event::thread_leaves:
      group.members.erase(group.members.begin() + pick(0, static_cast<std::int32_t>(group.members.size()) - 1));
      break;
    case group_event::standbys_change: group.standby_replicas = pick(0, 3); break;
    case group_event::partitions_added:
      group.subtopologies[static_cast<std::size_t>(pick(0, static_cast<std::int32_t>(group.subtopologies.size()) - 1))]
          .tasks += pick(1, 10);
      break;
    case group_event::process_restarts: restart(last_process_); break;
  }
}

void random_group::scatter() {
  const auto any_member = [&]() -> owned_member& {
    return group.members[static_cast<std::size_t>(pick(0, static_cast<std::int32_t>(group.members.size()) - 1))];
  };
  const auto favourite_share = pick(0, 100);  // how skewed it is: this many percent go to one member
  auto& favourite = any_member();
  for (const auto& subtopology : group.subtopologies) {
    for (std::int32_t partition = 0; partition < subtopology.tasks + 3; ++partition) {
      if (pick(0, 9) != 0) {
        (pick(0, 99) < favourite_share ? favourite : any_member()).active[subtopology.id].insert(partition);
      }
      for (auto standbys = pick(0, 2); standbys > 0; --standbys) any_member().standby[subtopology.id].insert(partition);
      if (pick(0, 4) == 0) any_member().offsets[subtopology.id][partition] = pick(0, 1'000);
    }
  }
  any_member().active["gone"].insert(0);
}

void random_group::shuffle() {
  // Fisher-Yates by hand: std::shuffle may differ between standard libraries.
  const auto shuffled = [&](auto& list) {
    for (std::size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[static_cast<std::size_t>(pick(0, static_cast<std::int32_t>(i) - 1))]);
    }
  };
  shuffled(group.members);
  shuffled(group.subtopologies);
}

std::int32_t random_group::pick(std::int32_t low, std::int32_t high) {
  return low + static_cast<std::int32_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
}

void random_group::add_process(std::int32_t threads) {
  const auto process = "process-" + std::to_string(processes_made_++ * 7 % 101);
  for (std::int32_t i = 0; i < threads; ++i) add_member(process);
}

// Member ids are in no relation to the order of joining or of processes.
void random_group::add_member(const std::string& process) {
  group.members.push_back({"member-" + std::to_string(members_made_++ * 37 % 1009), process});
}

void random_group::remove_process(const std::string& process) {
  std::erase_if(group.members, [&](const owned_member& member) { return member.process == process; });
}

void random_group::restart(const std::string& process) {
  std::vector<offset_sums> reports;
  for (const auto& member : group.members) {
    if (member.process != process) continue;
    auto& report = reports.emplace_back();
    for (const auto& subtopology : group.subtopologies) {
      if (!subtopology.stateful) continue;
      const auto add = [&](const task_set& tasks, std::int64_t base) {
        const auto held = tasks.find(subtopology.id);
        if (held == tasks.end()) return;
        for (const auto partition : held->second) report[subtopology.id][partition] = base + partition;
      };
      add(member.standby, 50'000);
      add(member.active, 100'000);
    }
  }
  remove_process(process);
  for (auto& report : reports) {
    add_member(process);
    group.members.back().offsets = std::move(report);
  }
}

std::vector<std::string> random_group::processes() const {
  std::set<std::string> ids;
  for (const auto& member : group.members) ids.insert(member.process);
  return {ids.begin(), ids.end()};
}

std::string random_group::any_process() {
  const auto ids = processes();
  return ids[static_cast<std::size_t>(pick(0, static_cast<std::int32_t>(ids.size()) - 1))];
}

}  // namespace weir::assignor::test
