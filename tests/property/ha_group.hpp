// Random groups with what matters to `highly_available`: offsets around the acceptable lag, and tags; and a simulation
// of members that restore what they are given.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "assignor/refine.hpp"
#include "tests/property/random_group.hpp"

namespace weir::assignor::test {

using task = std::pair<std::string, std::int32_t>;

/// Gives every process values of two tag keys, "zone" of three and "rack" of two; some have none if `some_lack`.
void tag_processes(random_group& random, bool some_lack);

/// Every member reports offsets of some tasks: around the limit, far behind, beyond the end, of an empty changelog,
/// with an end that is not known yet, or with none at all.
void report_anything(random_group& random);

/// Tasks of stateful subtopologies.
bool is_stateful(const owned_group& group, const std::string& subtopology);

/// Process -> tasks it has caught up on, by the members' reports.
std::map<task, std::map<std::string, std::int64_t>> caught_up(const owned_group& group);

/// The process that runs each task now; tasks nobody runs are absent.
std::map<task, std::string> running(const owned_group& group);

/// The process that runs each task in a plan or a step on the way.
std::map<task, std::string> running(const std::map<std::string, task_set>& active, const owned_group& group);
std::map<task, std::string> running(const plan& made, const owned_group& group);
std::map<task, std::string> running(const interim& made, const owned_group& group);

/// Members that restore: what their processes hold comes nearer to the end, and they report it.
class restoring_members {
 public:
  static constexpr std::int64_t end = 100'000;

  /// Every warm-up and standby is as far as `progress(task)` says, 0..100 percent; processes keep the highest. Running
  /// tasks have all.
  template <class Progress>
  void restore(owned_group& group, Progress progress) {
    for (auto& member : group.members) {
      for (const auto* held : {&member.standby, &member.warmup}) {
        for (const auto& [id, partitions] : *held) {
          for (const auto partition : partitions) {
            auto& offset = offsets_[member.process][{id, partition}];
            offset = std::max<std::int64_t>(offset, end * progress(task(id, partition)) / 100);
          }
        }
      }
      for (const auto& [id, partitions] : member.active) {
        for (const auto partition : partitions) offsets_[member.process][{id, partition}] = end;
      }
    }
    report(group);
  }

 private:
  void report(owned_group& group) const;

  std::map<std::string, std::map<task, std::int64_t>> offsets_;  // by process
};

}  // namespace weir::assignor::test
