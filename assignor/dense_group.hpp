// A group_input with numbers for members and processes, which the assignor's inner loops work on. They follow from the
// ids alone, or from the order of the input as with Java's hash maps (spec 03, 1.3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assignor/assignor.hpp"
#include "base/result.hpp"

namespace weir::assignor {

/// Stands for "no member", "no process".
inline constexpr std::int32_t nobody = -1;

/// A number as an index.
inline std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

/// Most tasks and standbys one group may have: bounds the memory of an assignment, far above what a group can run.
inline constexpr std::int64_t task_copies_max = 2'000'000;

/// How members and processes are numbered.
enum class visiting : std::uint8_t {
  by_id,
  as_java,  ///< in the order in which Kafka visits them (java_visiting.hpp)
};

/// Members are numbered by member id and processes by process id, unless as_java is asked for; subtopologies and tasks
/// as in the input. Borrows the group_input it was made of.
struct dense_group {
  const group_input* input = nullptr;
  std::vector<const member_input*> members;
  std::span<const subtopology_input> subtopologies;
  std::vector<std::int32_t> first_task;  ///< of each subtopology; one more at the end: the number of tasks
  std::vector<std::int32_t> process_of;  ///< member -> process
  std::vector<std::int32_t> threads;     ///< process -> number of members
  std::vector<std::int32_t> by_process;  ///< members by process; those of one by number, or as Kafka visits them
  std::int32_t stateful_tasks = 0;
  std::int32_t standby_replicas = 0;       ///< as configured
  std::int32_t standby_replicas_here = 0;  ///< as far as there are processes for them

  /// Fails on two members or subtopologies of one id, subtopologies in another order, negative counts, and more than
  /// task_copies_max tasks and standbys.
  static result<dense_group> make(const group_input& input, visiting order = visiting::by_id);

  [[nodiscard]] std::int32_t member_count() const { return static_cast<std::int32_t>(members.size()); }
  [[nodiscard]] std::int32_t process_count() const { return static_cast<std::int32_t>(threads.size()); }
  [[nodiscard]] std::int32_t task_count() const { return first_task.back(); }

  /// Subtopology of a task.
  [[nodiscard]] std::int32_t subtopology_of(std::int32_t task) const;

  /// Tasks ordered by (partition, subtopology id): one partition of every subtopology after the other.
  [[nodiscard]] std::vector<std::int32_t> tasks_by_partition() const;

  /// Members of a process, in the order of by_process. `first_members` is what first_members() gives.
  [[nodiscard]] std::span<const std::int32_t> members_of(std::int32_t process,
                                                         const std::vector<std::size_t>& first_members) const {
    return {by_process.data() + first_members[at(process)], at(threads[at(process)])};
  }

  /// Process -> place of its first member in by_process.
  [[nodiscard]] std::vector<std::size_t> first_members() const;

  /// Index of a subtopology, or nobody.
  [[nodiscard]] std::int32_t find_subtopology(std::string_view id) const;

  /// What a member has: its slices.
  [[nodiscard]] std::span<const std::int32_t> active(std::int32_t member) const {
    return input->tasks_of(members[at(member)]->active);
  }
  [[nodiscard]] std::span<const std::int32_t> standby(std::int32_t member) const {
    return input->tasks_of(members[at(member)]->standby);
  }
  [[nodiscard]] std::span<const std::int32_t> warmup(std::int32_t member) const {
    return input->tasks_of(members[at(member)]->warmup);
  }
  [[nodiscard]] std::span<const std::int32_t> revoking(std::int32_t member) const {
    return input->tasks_of(members[at(member)]->revoking);
  }
  [[nodiscard]] std::span<const reported_offset> offsets(std::int32_t member) const {
    return input->offsets_of(members[at(member)]->task_offsets);
  }
  [[nodiscard]] std::span<const reported_offset> end_offsets(std::int32_t member) const {
    return input->offsets_of(members[at(member)]->task_end_offsets);
  }

  /// Place of a member in the input, and so in a flat_plan.
  [[nodiscard]] std::size_t place_of(std::int32_t member) const {
    return static_cast<std::size_t>(members[at(member)] - input->members.data());
  }
};

/// `0_3`, as Kafka's tools call a task.
[[nodiscard]] std::string task_name(const dense_group& group, std::int32_t task);

}  // namespace weir::assignor
