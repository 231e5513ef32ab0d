// Ways to a target on random groups: each step is checked against spec 03, 9.2, each way against 9.3.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assignor/refine.hpp"
#include "tests/property/ha_group.hpp"

namespace weir::assignor::test {

/// The target of `highly_available`, now and then of `sticky`.
[[nodiscard]] plan target_of(random_group& random);

/// Warm-up tasks in a step.
[[nodiscard]] std::int64_t warmups(const interim& made);

/// The complete step that the present state allows; R1 to R9 are checked. Shuffles the group.
interim refined(const plan& target, random_group& random, const std::vector<stuck_warm_up>& resting = {});

/// How often a stateful task got another process, or one after it had none.
struct moves {
  std::int64_t warm = 0;  ///< where it had caught up
  std::int64_t cold = 0;
};

/// The whole way from one state to the target of a changed group. The members take every step at once.
class way {
 public:
  explicit way(random_group& random);

  /// Members get on as `progress` says and report it; then whatever step that allows.
  template <class Progress>
  void go_on(restoring_members& members, Progress progress, const std::vector<stuck_warm_up>& resting = {}) {
    members.restore(random_.group, progress);
    look(resting);
  }

  /// The step that the last reports allow.
  void look(const std::vector<stuck_warm_up>& resting = {});

  [[nodiscard]] const interim& step() const { return step_; }
  [[nodiscard]] const plan& target() const { return target_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t first_waiting() const { return first_waiting_; }
  [[nodiscard]] const moves& moved() const { return moves_; }
  /// C1's bound.
  [[nodiscard]] std::int64_t steps_max() const;
  /// C2.
  void expect_arrived() const;

 private:
  void take_step();
  void note_move(const task& of, const std::string& to,
                 const std::map<task, std::map<std::string, std::int64_t>>& warm);

  random_group& random_;
  plan target_;
  interim step_;
  std::int64_t steps_ = 0;
  std::int64_t first_waiting_ = 0;
  std::map<task, std::string> at_;  // where tasks run; orphans: since they started
  std::map<task, int> changes_;
  moves moves_;
};

/// Tasks and the processes where they do not get on.
using stuck_places = std::set<std::pair<task, std::string>>;
/// Adds the warm-ups of the step that are of such tasks.
void note_stuck(const interim& step, const std::set<task>& stuck, const owned_group& group, stuck_places& places);
/// The same in the words of the input. Borrows.
[[nodiscard]] std::vector<stuck_warm_up> lend(const stuck_places& places);

/// The last reports of some members are lost, or those of an earlier time come instead, or nothing is known of them;
/// now and then of nobody.
void disturb_reports(random_group& random, const std::vector<owned_member>& before,
                     const std::vector<owned_member>& earlier);

/// Active tasks per thread differ by at most one between processes.
void expect_even_threads(const interim& step, const owned_group& group);

}  // namespace weir::assignor::test
