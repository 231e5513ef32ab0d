// Which processes shall hold the standbys of each stateful task (spec 03, 8.3, step 5): as different by client tags as
// can be, where state is, evenly loaded, and those of one process's tasks on many others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assignor/dense_group.hpp"
#include "assignor/load_order.hpp"
#include "assignor/replicas.hpp"
#include "assignor/tag_groups.hpp"

namespace weir::assignor {

/// Most steps of the repair that evens out the load; then it must do as it is.
inline constexpr std::int64_t repair_steps_max = 4'000'000;

/// Processes by task; all that is asked of the planner.
struct task_processes {
  std::vector<std::int32_t> active;  ///< task -> process that shall run it
  std::vector<std::int32_t> former;  ///< task -> process that runs it now, or nobody
};

/// Makes the placement when constructed. Borrows its arguments.
class standby_places {
 public:
  standby_places(const dense_group& group, const replicas& present, const task_processes& running,
                 std::span<const std::string> tags);

  /// Processes of the task's standbys: as many as are wanted and possible.
  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t task) const {
    return {slots_.data() + first_slot(task), at(held_[at(task)])};
  }

 private:
  /// The tag groups of standbys that differ as much as can be from an active of one tag group.
  struct best_groups {
    std::vector<std::int32_t> groups;
    std::int64_t value = -1;  // -1: not looked for yet
  };
  /// The slots of one process while the load is evened out.
  struct slot_list {
    std::vector<std::size_t> slots;
    std::size_t fresh = 0;  // how many of them are
  };

  [[nodiscard]] std::size_t first_slot(std::int32_t task) const { return at(task) * at(wanted_); }
  [[nodiscard]] bool has_tags() const { return groups_.size() > 1; }
  [[nodiscard]] bool holds(std::int32_t task, std::int32_t process) const;
  void hold(std::int32_t task, std::int32_t process, bool is_fresh);

  void keep_or_choose(std::int32_t task);
  bool keep(std::int32_t task, std::span<const std::int32_t> standbys);
  [[nodiscard]] std::vector<std::int32_t> preferred(std::int32_t task, std::vector<std::int32_t>& standbys) const;
  void choose(std::int32_t task, std::span<const std::int32_t> among);

  void fill();
  void fill(std::int32_t task);
  void place_in_best_groups(std::int32_t task);
  [[nodiscard]] std::int32_t least_loaded(std::int32_t task, std::span<const std::int32_t> among) const;
  [[nodiscard]] bool has_free_process(std::int32_t task, std::int32_t tag_group) const;
  [[nodiscard]] std::vector<std::int32_t> groups_of_most_gain(std::int32_t task) const;
  const best_groups& best_for(std::int32_t active_group);
  void look_at(std::int32_t task, std::span<const std::int32_t> standbys);

  void repair();
  bool move_one(load_order& all, std::vector<slot_list>& slots_of);
  bool move_between(slot_list& from, std::int32_t to, slot_list& slots_of_to);
  [[nodiscard]] std::size_t slot_to_move(const slot_list& from, std::int32_t to);
  bool may_move(std::size_t slot, std::int32_t to);

  const dense_group& group_;
  const replicas& present_;
  const task_processes& running_;
  tag_groups groups_;
  diversity diversity_;                    // of the task that is being looked at
  std::vector<best_groups> best_;          // active's tag group -> what can be reached
  std::int32_t wanted_;                    // standbys of a stateful task
  std::vector<std::int32_t> slots_;        // wanted_ for each task
  std::vector<bool> is_fresh_;             // slot -> the process did not have the standby before
  std::vector<std::int32_t> held_;         // task -> slots in use
  std::vector<std::int32_t> pairs_;        // process -> standbys it holds for the process that is being filled for
  std::vector<std::int32_t> tasks_;        // the stateful ones, by active process
  load_order loads_;                       // by tag group
  std::int64_t steps_left_ = repair_steps_max;
};

}  // namespace weir::assignor
