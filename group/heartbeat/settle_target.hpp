// S9 and S10: the target assignment, computed, postponed or kept (spec 01, section 7).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "group/heartbeat/decide_epoch.hpp"

namespace weir::group {

/// Why a target that is out of date was not computed: status 5.
enum class postponement : std::uint8_t { none, initial_delay, assignment_interval };

/// A target for everybody.
struct computed_target {
  std::map<std::string, role_tasks, std::less<>> changed;  ///< who gets a record of type 21
  target_metadata info;                                    ///< the record of type 20
  event explanation;
  std::shared_ptr<const interim_target> interim;  ///< the first step towards it; null: members get it at once
};

struct target_plan {
  std::int32_t epoch = 0;  ///< what the member is reconciled to
  const role_tasks* stored = nullptr;  ///< where this member's target is, if it is not a computed one that differs
  role_tasks tasks_of_new;             ///< else its computed target; empty if it never had one
  postponement postponed = postponement::none;
  std::optional<computed_target> computed;
  std::optional<target_metadata> stepped;  ///< T3: the record of type 20 of the next step towards the stored target
  std::optional<std::int64_t> initial_delay_deadline_ms;  ///< S9: the timer starts
  bool cancel_initial_delay = false;  ///< its time has passed, its wake-up did not come yet

  /// The target of this member.
  [[nodiscard]] const role_tasks& tasks() const noexcept;
};

/// The group's members as they are after this heartbeat, before anybody is reconciled. At a wake-up: as they are.
struct membership {
  const streams_group& group;
  std::string_view member_id = {};                  ///< the requester; empty at a wake-up
  const member_metadata* metadata = nullptr;        ///< its new metadata
  const current_assignment* current = nullptr;      ///< its stored assignment
  const std::string* replaced_id = nullptr;         ///< leaves the group in this heartbeat
  bool switches_topology = false;                   ///< see admitted: it has no target
  const task_offsets* offsets = nullptr;            ///< what it reports; null: as before
  const task_offsets* end_offsets = nullptr;        ///< likewise

  [[nodiscard]] bool reports() const noexcept { return offsets != nullptr || end_offsets != nullptr; }
};

/// What a computation is based on besides the members.
struct target_basis {
  const configured_topology* configured = nullptr;  ///< not ready or null: all targets are empty
  const std::map<std::string, std::string>& assignment_configs;  ///< those of B5, as recorded with the epoch
  std::int32_t group_epoch = 0;
};

struct refinement;

/// What T1 to T5 depend on besides the members.
struct target_question {
  const topology_plan& topology;
  const epoch_plan& epoch;
  const refinement& refined;
};

/// T1 to T5. Fails with the assignor (G13).
[[nodiscard]] checked<target_plan> settle_target(const call& c, const membership& members,
                                                 const target_question& asked);

/// The stored target of a member, a replaced one's under its new id; null if there is none, or none any more.
[[nodiscard]] const role_tasks* stored_target(const membership& members, std::string_view id);

/// T5. Fails with the assignor, or when what it returned is no valid plan.
[[nodiscard]] checked<computed_target> compute_target(const membership& members, const target_basis& basis,
                                                      const world& world);

/// T4: the assignment interval is not over.
[[nodiscard]] bool is_within_interval(const streams_group& group, const world& world) noexcept;

}  // namespace weir::group
