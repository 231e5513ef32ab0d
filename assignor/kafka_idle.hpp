// Who is least loaded, where Kafka would look: ties go as its priority queues leave them (docs/decisions/008).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assignor/java_priority_queue.hpp"
#include "assignor/process_load.hpp"

namespace weir::assignor {

/// Gives tasks to the least loaded process, there to the member with the fewest tasks. The group must have been
/// numbered as_java. While one is in use, whoever else adds to the same process_load calls given().
class kafka_idle {
 public:
  explicit kafka_idle(process_load& load);

  /// Queues the processes by their present load.
  void begin();

  /// Counts one more task for the least loaded process that is not among the excluded ones. Returns its member, or
  /// nobody if no process is left, which also changes how ties go from then on.
  std::int32_t take(std::span<const std::int32_t> excluded_processes);

  /// Likewise for an active task. Kafka looks at no limit here.
  std::int32_t take_below(std::int64_t /*limit*/) { return take({}); }

  /// The member got a task by other means: its process queues its members anew when it is next asked.
  void given(std::int32_t member) {
    if (!members_.empty()) members_[at(load_->process_of(member))].clear();
  }

 private:
  std::int32_t take_from(std::int32_t process);

  [[nodiscard]] std::size_t first_place(std::int32_t process) const { return first_place_[at(process)]; }

  process_load* load_;
  java_priority_queue<double> processes_;
  std::vector<java_priority_queue<double>::entry> set_aside_;
  // Both empty if each process has one member
  std::vector<std::size_t> first_place_;  // process -> its first member in by_process; one more at the end
  std::vector<java_priority_queue<std::int32_t>> members_;  // of each process; empty: to be queued
};

}  // namespace weir::assignor
