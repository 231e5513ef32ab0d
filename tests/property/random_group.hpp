// Random groups and what happens to them: the generators of spec 03, section 4. A seed gives the same group everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor::test {

/// How many members (threads) the processes of a group have.
enum class thread_mix : std::uint8_t { one, equal, mixed };

/// What can happen to a group between two assignments.
enum class group_event : std::uint8_t {
  nothing,
  process_joins,
  process_leaves,
  thread_joins,
  thread_leaves,
  standbys_change,
  partitions_added,
  process_restarts,  ///< new member ids; reports the offsets of what the process held
};

/// A group that changes at random within the bounds of section 4: 1..12 processes; one thread each, or 1..4, or mixed
/// 1..5; 1..5 subtopologies of 1..40 tasks, two thirds stateful; 0..3 standbys.
class random_group {
 public:
  random_group(std::uint64_t seed, thread_mix mix);

  owned_group group;

  /// Picks something that can happen and does it. Thread events happen only if the mix is not `one`, and turn `equal`
  /// into `mixed`. A restarted or left process is in last_process().
  group_event change();

  [[nodiscard]] thread_mix mix() const { return mix_; }

  /// The process that the last change was about.
  [[nodiscard]] const std::string& last_process() const { return last_process_; }

  /// Gives the members arbitrary tasks: each task active at most once, standbys anywhere, also tasks that do not exist.
  void scatter();

  /// Changes the order of members and subtopologies, nothing else.
  void shuffle();

  /// Uniform in [low, high].
  std::int32_t pick(std::int32_t low, std::int32_t high);

 private:
  group_event pick_event();
  void carry_out(group_event event);
  void add_process(std::int32_t threads);
  void add_member(const std::string& process);
  void remove_process(const std::string& process);
  void restart(const std::string& process);
  [[nodiscard]] std::vector<std::string> processes() const;
  std::string any_process();

  std::mt19937_64 engine_;
  thread_mix mix_;
  std::int32_t threads_ = 1;  // of a new process, unless mixed
  std::int32_t processes_made_ = 0;
  std::int32_t members_made_ = 0;
  std::string last_process_;
};

}  // namespace weir::assignor::test
