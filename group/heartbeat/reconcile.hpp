// S11: moves a member's assigned tasks towards its target, never letting two members run one task (spec 01, section 8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "group/heartbeat/read_request.hpp"
#include "group/versions.hpp"

namespace weir::group {

/// Everything the decision depends on.
struct reconcile_input {
  const current_assignment& current;
  const std::string& process_id;
  const role_tasks& target;
  std::int32_t target_epoch = 0;
  const std::optional<owned_report>& owned;
  const holders& held;  ///< before this heartbeat
  const foreign_claims* foreign = nullptr;  ///< of members with another topology; null: nobody has another
};

/// Nothing to do: at the target epoch with nothing outstanding.
[[nodiscard]] inline bool is_reconciled(const current_assignment& current, std::int32_t target_epoch) noexcept {
  return current.state == member_state::stable && current.member_epoch == target_epoch;
}

/// The member's next assignment; nothing if it stays as it is. G14: refused in an unknown state.
[[nodiscard]] checked<std::optional<current_assignment>> reconcile(const reconcile_input& input);

}  // namespace weir::group
