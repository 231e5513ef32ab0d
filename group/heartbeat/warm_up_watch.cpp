#include "group/heartbeat/warm_up_watch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace weir::group {
namespace {

constexpr std::int64_t intervals_of_patience = 5;
constexpr std::int32_t doublings_max = 8;

std::int64_t patience_ms(const world& world) {
  return intervals_of_patience * std::int64_t{world.config.task_offset_interval_ms};
}

bool is_at(const warm_up_watch& watch, std::string_view subtopology_id, std::int32_t partition,
           std::string_view process_id) {
  return watch.partition == partition && watch.subtopology_id == subtopology_id && watch.process_id == process_id;
}

/// The highest that a member of the process reported; -1: none did.
std::int64_t reported_offset(const warm_up_watch& watch, const assignor_input& input) {
  std::int64_t highest = -1;
  const auto tasks = input.numbers.of(watch.subtopology_id);
  if (!tasks.has(watch.partition)) return highest;
  const auto task = tasks.first + watch.partition;
  for (const auto& member : input.input.members) {
    if (member.process_id != watch.process_id) continue;
    const auto sums = input.input.offsets_of(member.task_offsets);
    const auto found = std::ranges::lower_bound(sums, task, {}, &assignor::reported_offset::task);
    if (found != sums.end() && found->task == task) highest = std::max(highest, found->sum);
  }
  return highest;
}

void look(warm_up_watch& watch, std::int64_t offset, const world& world) {
  const bool is_stuck = watch.runs && !watch.rests && offset <= watch.offset;
  if (!is_stuck) {
    const bool had_offset = watch.highest >= 0;  // a first one is no progress
    if (had_offset && offset > watch.highest) watch.times_stuck = 0;
    watch.rests = false;
    watch.look_ms = world.now_ms + patience_ms(world);
  } else {
    watch.look_ms = world.now_ms + (patience_ms(world) << std::min(watch.times_stuck, doublings_max));
    ++watch.times_stuck;
    watch.rests = true;
    watch.is_new_rest = true;
  }
  watch.offset = offset;
  watch.highest = std::max(watch.highest, offset);
}

/// Carries on what is known of a warm-up that has, or had, none.
warm_up_watch begin_watch(std::string_view subtopology_id, std::int32_t partition, std::string_view process_id,
                          const std::vector<warm_up_watch>& known) {
  const auto found = std::ranges::find_if(
      known, [&](const warm_up_watch& watch) { return is_at(watch, subtopology_id, partition, process_id); });
  if (found != known.end()) return *found;
  return {.subtopology_id = std::string(subtopology_id),
          .partition = partition,
          .process_id = std::string(process_id)};
}

/// Nothing is known of the task although the process has had all the time for it.
bool tells_nothing(const warm_up_watch& watch) { return watch.times_stuck > 0 && watch.highest < 0; }

/// Processes with such a warm-up that report no offset of any other task either.
std::set<std::string_view> silent_processes(const std::vector<warm_up_watch>& watches, const assignor_input& input) {
  std::set<std::string_view> silent;
  for (const auto& watch : watches) {
    if (tells_nothing(watch)) silent.insert(watch.process_id);
  }
  if (silent.empty()) return silent;
  for (const auto& member : input.input.members) {
    if (!input.input.offsets_of(member.task_offsets).empty()) silent.erase(member.process_id);
  }
  return silent;
}

/// What was found out of a process holds as long as it is here and says nothing: its next tasks need not wait again.
void keep_silent(const std::vector<warm_up_watch>& known, const assignor_input& input,
                 std::vector<warm_up_watch>& watches) {
  for (const auto process_id : silent_processes(known, input)) {
    const auto is_of = [&](const warm_up_watch& one) { return one.process_id == process_id && tells_nothing(one); };
    const auto is_here = [&](const auto& member) { return member.process_id == process_id; };
    if (std::ranges::none_of(input.input.members, is_here) || std::ranges::any_of(watches, is_of)) continue;
    watches.push_back(*std::ranges::find_if(known, is_of));
    watches.back().runs = watches.back().rests = watches.back().is_new_rest = false;
  }
}

bool has_warm_up(const assignor::interim& next, const assignor::waiting_task& task) {
  const auto found = next.members.find(task.member_id);
  return found != next.members.end() && contains(found->second.warmup, task.subtopology_id, task.partition);
}

}  // namespace

std::vector<warm_up_watch> look_at_warm_ups(const interim_target* step, const assignor_input& input,
                                            const world& world) {
  if (step == nullptr) return {};
  auto watches = step->watches;
  for (auto& watch : watches) {
    watch.is_new_rest = false;
    const bool is_due = watch.look_ms <= world.now_ms && (watch.runs || watch.rests);
    if (is_due) look(watch, reported_offset(watch, input), world);
  }
  return watches;
}

std::vector<assignor::stuck_warm_up> stuck_ones(const std::vector<warm_up_watch>& watches) {
  std::vector<assignor::stuck_warm_up> found;
  for (const auto& watch : watches) {
    if (watch.rests || watch.times_stuck > 0) {
      found.push_back({watch.subtopology_id, watch.partition, watch.process_id, watch.rests, watch.times_stuck});
    }
  }
  return found;
}

void give_up_silent(const std::vector<warm_up_watch>& watches, assignor_input& input) {
  for (const auto process_id : silent_processes(watches, input)) {
    for (auto& member : input.input.members) {
      if (member.process_id == process_id) member.reports_offsets = false;
    }
  }
}

std::vector<warm_up_watch> watch_warm_ups(const assignor::interim& next, const std::vector<warm_up_watch>& known,
                                          const assignor_input& input, const world& world) {
  std::map<std::string_view, std::string_view> process_of;
  if (!next.waiting.empty()) {
    for (const auto& member : input.input.members) process_of[member.member_id] = member.process_id;
  }
  std::vector<warm_up_watch> watches;
  for (const auto& task : next.waiting) {
    auto watch = begin_watch(task.subtopology_id, task.partition, process_of[task.member_id], known);
    const bool starts = has_warm_up(next, task) && !watch.runs;
    watch.runs = has_warm_up(next, task);
    if (starts) {
      watch.offset = reported_offset(watch, input);
      watch.began_ms = world.now_ms;
    }
    if (starts && !watch.rests) watch.look_ms = world.now_ms + patience_ms(world);
    if (watch.runs || watch.times_stuck > 0) watches.push_back(std::move(watch));
  }
  keep_silent(known, input, watches);
  return watches;
}

}  // namespace weir::group
