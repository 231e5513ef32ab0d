#include "group/tasks.hpp"

#include <algorithm>
#include <limits>

namespace weir::group {
namespace {

std::int32_t partition_of(std::int32_t partition) { return partition; }
template <class Value>
std::int32_t partition_of(const std::pair<const std::int32_t, Value>& entry) {
  return entry.first;
}

template <class Tasks>
void remove_from(Tasks& tasks, std::string_view subtopology, std::int32_t partition) {
  auto found = tasks.find(subtopology);
  if (found == tasks.end()) return;
  found->second.erase(partition);
  if (found->second.empty()) tasks.erase(found);
}

template <class Part, class Whole>
bool all_in(const Part& part, const Whole& whole) {
  return std::ranges::all_of(part, [&](const auto& entry) {
    if (entry.second.empty()) return true;
    auto found = whole.find(entry.first);
    return found != whole.end() && std::ranges::all_of(entry.second, [&](const auto& task) {
             return found->second.contains(partition_of(task));
           });
  });
}

template <class Left, class Right>
bool none_in(const Left& left, const Right& right) {
  return std::ranges::all_of(left, [&](const auto& entry) {
    auto found = right.find(entry.first);
    return found == right.end() || std::ranges::none_of(entry.second, [&](const auto& task) {
             return found->second.contains(partition_of(task));
           });
  });
}

template <class Tasks>
std::size_t count_of(const Tasks& tasks) noexcept {
  std::size_t sum = 0;
  for (const auto& [subtopology, partitions] : tasks) sum += partitions.size();
  return sum;
}

std::string ranges_of(const std::set<std::int32_t>& partitions);

}  // namespace

task_set without_epochs(const task_epochs& tasks) {
  task_set plain;
  for (const auto& [subtopology, partitions] : tasks) {
    auto& set = plain[subtopology];
    for (const auto& [partition, epoch] : partitions) set.insert(set.end(), partition);
  }
  return plain;
}

role_tasks without_epochs(const assigned_tasks& tasks) {
  return {.active = without_epochs(tasks.active), .standby = tasks.standby, .warmup = tasks.warmup};
}

void remove(task_set& tasks, std::string_view subtopology, std::int32_t partition) {
  remove_from(tasks, subtopology, partition);
}
void remove(task_epochs& tasks, std::string_view subtopology, std::int32_t partition) {
  remove_from(tasks, subtopology, partition);
}

bool is_subset(const task_set& part, const task_set& whole) { return all_in(part, whole); }
bool is_subset(const task_set& part, const task_epochs& whole) { return all_in(part, whole); }

bool are_disjoint(const task_set& a, const task_set& b) { return none_in(a, b); }
bool are_disjoint(const task_epochs& a, const task_set& b) { return none_in(a, b); }

bool same_tasks(const task_epochs& a, const task_set& b) { return count(a) == count(b) && all_in(b, a); }

std::size_t count(const task_set& tasks) noexcept { return count_of(tasks); }
std::size_t count(const task_epochs& tasks) noexcept { return count_of(tasks); }

std::optional<std::int64_t> known_offset(const task_offsets& of, std::string_view subtopology,
                                         std::int32_t partition) noexcept {
  const auto by_partition = of.find(subtopology);
  if (by_partition == of.end()) return std::nullopt;
  const auto found = by_partition->second.find(partition);
  if (found == by_partition->second.end()) return std::nullopt;
  if (found->second == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return found->second;
}

std::string task_name(std::string_view subtopology, std::int32_t partition) {
  return std::string(subtopology) + "_" + std::to_string(partition);
}

std::string in_words(const task_set& tasks) {
  std::string words;
  for (const auto& [subtopology, partitions] : tasks) {
    if (!words.empty()) words += "; ";
    words += subtopology + ": " + ranges_of(partitions);
  }
  return words.empty() ? "none" : words;
}

namespace {

std::string ranges_of(const std::set<std::int32_t>& partitions) {
  std::string words;
  for (auto first = partitions.begin(); first != partitions.end();) {
    auto last = first;
    auto next = std::next(last);
    while (next != partitions.end() && *next == *last + 1) last = next++;
    if (!words.empty()) words += ", ";
    words += std::to_string(*first);
    if (last != first) words += "-" + std::to_string(*last);
    first = next;
  }
  return words;
}

}  // namespace
}  // namespace weir::group
