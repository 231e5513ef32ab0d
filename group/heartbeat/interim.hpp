// The intermediate assignment: where tasks are until whoever shall have them has caught up (spec 01, 7.6; spec 03, 8.4
// and 8.5). Frozen for an assignment epoch; one that a restart lost is made again.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "assignor/refine.hpp"
#include "group/heartbeat/assignor_input.hpp"

namespace weir::group {

/// Whether targets are refined. Never in strict mode: Kafka's refiner leaves them as they are. Without warm-ups only
/// until what was begun is over.
[[nodiscard]] bool refines_targets(const streams_group& group, const world& world) noexcept;

/// What the step has for a member; null if that is its target, or if there is no step.
[[nodiscard]] const role_tasks* part_of(const interim_target* step, std::string_view member_id) noexcept;

/// When a member that has reported no offsets yet must have done so; then tasks move to it without a warm-up.
[[nodiscard]] std::int64_t first_report_due_ms(const streams_group& group, std::string_view member_id,
                                               const world& world) noexcept;

/// The step towards the target that the present state allows. Looks at the warm-ups of the step in force, and notes in
/// the input which of them rest. Null if the input cannot be refined, which what an assignor has accepted always can.
[[nodiscard]] std::shared_ptr<interim_target> freeze(const assignor::flat_plan& target, assignor_input& input,
                                                     const membership& members, const world& world);

/// What a heartbeat finds out about the step that is in force.
struct refinement {
  std::shared_ptr<const interim_target> interim;  ///< in force after this heartbeat; null: members get their targets
  bool is_step = false;   ///< it is the next step: the epoch moved for it (B6)
  bool has_news = false;  ///< something was reported that it has not been checked against
};

/// Makes the step that a restart lost. And makes the next one, moving the epoch, if nothing else moved it, the group is
/// stable and reports, or the lack of them, allow more than the members hold.
[[nodiscard]] refinement refine_further(const call& c, const membership& members, const topology_plan& topology,
                                        epoch_plan& epoch);

}  // namespace weir::group
