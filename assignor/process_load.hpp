// How many tasks members and processes hold while an assignment is being made, and who is least loaded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assignor/dense_group.hpp"

namespace weir::assignor {

/// Counts of tasks, active and standby together, that only grow. The load of a process is its tasks per thread.
class process_load {
 public:
  explicit process_load(const dense_group& group);

  /// Counts one more task of the member; returns how many it holds now.
  std::int32_t add(std::int32_t member) {
    ++process_tasks_[at(process_of(member))];
    return ++member_tasks_[at(member)];
  }

  [[nodiscard]] std::int32_t tasks(std::int32_t member) const { return member_tasks_[at(member)]; }
  [[nodiscard]] std::int32_t process_of(std::int32_t member) const { return group_->process_of[at(member)]; }

  [[nodiscard]] double load(std::int32_t process) const {
    return static_cast<double>(process_tasks_[at(process)]) / group_->threads[at(process)];
  }

  /// Whether both the member and its process hold strictly less than the other member and its process.
  [[nodiscard]] bool below(std::int32_t member, std::int32_t other) const {
    return tasks(member) < tasks(other) && load(process_of(member)) < load(process_of(other));
  }

  [[nodiscard]] const dense_group& group() const { return *group_; }

 private:
  const dense_group* group_;
  std::vector<std::int32_t> member_tasks_;
  std::vector<std::int32_t> process_tasks_;
};

/// Gives tasks to the least loaded process, there to the member with the fewest tasks; ties go by (process id, member
/// id). While one is in use, nothing else may add to the same process_load.
class least_loaded {
 public:
  explicit least_loaded(process_load& load);

  /// Counts one more task for the least loaded process that is not among the excluded ones. Returns its member, or
  /// nobody if no process is left.
  std::int32_t take(std::span<const std::int32_t> excluded_processes);

  /// The same among the processes that have a member with fewer than `limit` tasks. The limit never grows from call to
  /// call.
  std::int32_t take_below(std::int64_t limit);

 private:
  struct process_entry {
    double load;
    std::int32_t process;
  };
  struct member_entry {
    std::int32_t tasks;
    std::int32_t member;
  };

  std::int32_t take_top();
  [[nodiscard]] std::span<member_entry> members_of(std::int32_t process);
  process_entry pop();
  void push(process_entry entry);

  process_load* load_;
  std::vector<process_entry> processes_;    // heap, least loaded first
  std::vector<member_entry> members_;       // one heap for each process, fewest tasks first
  std::vector<std::int32_t> first_member_;  // process -> start of its heap in members_; one more at the end
  std::vector<process_entry> set_aside_;    // excluded ones while take looks further
};

}  // namespace weir::assignor
