// What would happen to a group if something were different: the planner asked about a copy. Changes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assignor/plan_diff.hpp"
#include "assignor/plan_statistics.hpp"
#include "group/administer.hpp"
#include "group/describe.hpp"

namespace weir::group {

/// Most members that a question may add, in all.
inline constexpr std::int32_t added_members_max = 1'000;

/// Members of one process that shall join.
struct added_members {
  std::string process_id;  ///< a new one, or one that the group has
  std::int32_t count = 1;  ///< at least 1
  std::optional<std::string> rack_id;
  std::map<std::string, std::string> client_tags;
};

/// All that shall be different at once. Empty: what a rebalance would do now.
struct what_if_question {
  std::string assignor;  ///< any built-in one; empty: the one of the settings
  config_change config;
  std::vector<added_members> added;
  std::vector<std::string> removed_members;
  std::vector<std::string> removed_processes;
  std::map<std::string, bool, std::less<>> drains;              ///< process id -> whether it is drained
  std::map<std::string, std::int32_t, std::less<>> partitions;  ///< topic -> how many; one that is missing is there
};

/// What the question is asked about. Borrowed.
struct what_if_basis {
  const group_view& view;
  const broker_config& broker;
  metadata::image_ptr image;
  bool strict_kafka = false;
};

/// A copy of a task that would be elsewhere than it is held now.
struct what_if_move {
  assignor::task_move move;
  std::optional<std::int64_t> restore;  ///< offsets its process would have to restore; nothing: not known, or no state
  bool has_state = false;
};

struct what_if_answer {
  std::string assignor;
  std::int32_t group_epoch = 0;  ///< that the target would have
  /// Of the target in force, and of the new one; nothing where the target does not fit what it is measured against.
  std::optional<assignor::plan_statistics> before;
  std::optional<assignor::plan_statistics> after;
  std::vector<what_if_move> moved;
  std::int32_t tasks_moved = 0;                   ///< active ones
  std::optional<std::int64_t> state_to_restore;   ///< offsets, of the moves where it is known; nothing: of none
  std::int32_t restores_unknown = 0;              ///< moves with state where it is not
  std::map<std::string, role_tasks, std::less<>> target;
  std::map<std::string, task_set, std::less<>> warmups;  ///< members that warm up first, and what
  std::size_t waiting = 0;                               ///< tasks that move once they are warm
  std::vector<std::string> warnings;
};

/// The target that the group would get. Refused: INVALID_CONFIG as overrides_after(), and for an assignor that is not
/// built in; UNKNOWN_MEMBER_ID for members and processes that are not there; INVALID_REQUEST for anything else that
/// cannot be, in words: no streams group, no member left, topics that are not in order, an assignor that fails.
[[nodiscard]] protocol::kafka_result<what_if_answer> what_if(const what_if_question& asked, const what_if_basis& basis);

}  // namespace weir::group
