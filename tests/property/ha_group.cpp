#include "tests/property/ha_group.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace weir::assignor::test {

void tag_processes(random_group& random, bool some_lack) {
  std::map<std::string, tag_map> tags;
  for (auto& member : random.group.members) {
    auto [found, is_new] = tags.try_emplace(member.process);
    if (is_new) {
      found->second = {{"zone", std::to_string(random.pick(0, 2))}, {"rack", std::to_string(random.pick(0, 1))}};
      if (some_lack && random.pick(0, 3) == 0) found->second.erase("zone");
      if (some_lack && random.pick(0, 3) == 0) found->second["rack"] = "";
    }
    member.tags = found->second;
  }
  random.group.rack_aware_tags = {"zone", "rack"};
}

void report_anything(random_group& random) {
  constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
  for (auto& member : random.group.members) {
    member.offsets.clear();
    member.end_offsets.clear();
    for (const auto& subtopology : random.group.subtopologies) {
      for (std::int32_t partition = 0; partition < subtopology.tasks; ++partition) {
        if (random.pick(0, 3) != 0) continue;
        constexpr std::int64_t end = 100'000;
        const std::int64_t offsets[] = {end, end - 9'999, end - 10'000, end - 10'001, 5, end + 1, end + 10'001, unknown,
                                        0, -2};
        const std::int64_t ends[] = {end, end, end, unknown, 0};
        member.offsets[subtopology.id][partition] = offsets[random.pick(0, 9)];
        if (random.pick(0, 2) != 0) member.end_offsets[subtopology.id][partition] = ends[random.pick(0, 4)];
      }
    }
  }
}

bool is_stateful(const owned_group& group, const std::string& subtopology) {
  return std::any_of(group.subtopologies.begin(), group.subtopologies.end(),
                     [&](const auto& entry) { return entry.id == subtopology && entry.stateful; });
}

namespace {

constexpr auto not_known = std::numeric_limits<std::int64_t>::max();

// Highest end offset that anybody reported.
std::int64_t highest_end(const owned_group& group, const task& of) {
  std::int64_t highest = -1;
  for (const auto& member : group.members) {
    const auto ends = member.end_offsets.find(of.first);
    if (ends == member.end_offsets.end() || !ends->second.contains(of.second)) continue;
    const auto end = ends->second.at(of.second);
    if (end != not_known) highest = std::max(highest, end);
  }
  return highest < 0 ? not_known : highest;
}

std::int64_t end_for(const owned_group& group, const owned_member& member, const task& of) {
  const auto ends = member.end_offsets.find(of.first);
  const bool has_own = ends != member.end_offsets.end() && ends->second.contains(of.second) &&
                       ends->second.at(of.second) != not_known && ends->second.at(of.second) >= 0;
  return has_own ? ends->second.at(of.second) : highest_end(group, of);
}

}  // namespace

std::map<task, std::map<std::string, std::int64_t>> caught_up(const owned_group& group) {
  std::map<task, std::map<std::string, std::int64_t>> lags;
  for (const auto& member : group.members) {
    for (const auto& [id, sums] : member.offsets) {
      for (const auto& [partition, offset] : sums) {
        const task of(id, partition);
        const auto end = end_for(group, member, of);
        if (offset < 0 || offset == not_known || end == not_known) continue;
        const auto beyond = std::max<std::int64_t>(group.acceptable_recovery_lag, 10'000);
        const auto lag = offset <= end ? end - offset : offset - end <= beyond ? 0 : end;
        if (lag > group.acceptable_recovery_lag || !is_stateful(group, id)) continue;
        const auto [known, is_new] = lags[of].try_emplace(member.process, lag);
        if (!is_new) known->second = std::min(known->second, lag);
      }
    }
  }
  return lags;
}

std::map<task, std::string> running(const std::map<std::string, task_set>& active, const owned_group& group) {
  std::map<task, std::string> processes;
  for (const auto& member : group.members) {
    for (const auto& [id, partitions] : active.at(member.id)) {
      const auto known = std::find_if(group.subtopologies.begin(), group.subtopologies.end(),
                                      [&, wanted = id](const auto& entry) { return entry.id == wanted; });
      if (known == group.subtopologies.end()) continue;
      for (const auto partition : partitions) {
        if (partition < known->tasks) processes.try_emplace({id, partition}, member.process);
      }
    }
  }
  return processes;
}

std::map<task, std::string> running(const owned_group& group) {
  std::map<std::string, task_set> active;
  for (const auto& member : group.members) active[member.id] = member.active;
  return running(active, group);
}

std::map<task, std::string> running(const plan& made, const owned_group& group) {
  std::map<std::string, task_set> active;
  for (const auto& [member, tasks] : made) active[member] = tasks.active;
  return running(active, group);
}

std::map<task, std::string> running(const interim& made, const owned_group& group) {
  std::map<std::string, task_set> active;
  for (const auto& [member, tasks] : made.members) active[member] = tasks.active;
  return running(active, group);
}

// All that a process has but for what the member runs; the end offset only of what is being restored.
void restoring_members::report(owned_group& group) const {
  for (auto& member : group.members) {
    member.offsets.clear();
    member.end_offsets.clear();
    const auto known = offsets_.find(member.process);
    if (known == offsets_.end()) continue;
    for (const auto& [of, offset] : known->second) {
      if (contains(member.active, of.first, of.second)) continue;
      member.offsets[of.first][of.second] = offset;
      if (contains(member.standby, of.first, of.second) || contains(member.warmup, of.first, of.second)) {
        member.end_offsets[of.first][of.second] = end;
      }
    }
  }
}

}  // namespace weir::assignor::test
