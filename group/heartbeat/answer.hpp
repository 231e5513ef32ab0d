// S13: the response (spec 01, section 5).
#pragma once

#include <optional>

#include "group/heartbeat/settle_target.hpp"

namespace weir::group {

/// What the steps before decided.
struct decisions {
  const admitted& member;
  const member_change& change;
  const topology_plan& topology;
  const target_plan& target;
  const std::optional<owned_report>& owned;
  const std::optional<current_assignment>& reconciled;  ///< nothing: as before
  bool bumps_endpoint_epoch = false;

  [[nodiscard]] const current_assignment& current() const noexcept {
    return reconciled ? *reconciled : member.before().current;
  }
  [[nodiscard]] bool changes_assigned() const noexcept {
    if (member.switches_topology()) return true;
    return reconciled && reconciled->assigned != member.before().current.assigned;
  }
};

/// G15. Never looks into the group's memory: text is owned, or looks into the request.
[[nodiscard]] checked<heartbeat_response> answer(const call& c, const decisions& made);

/// MemberId, MemberEpoch and nothing else: the response to a leave (2.5).
[[nodiscard]] heartbeat_response answer_to_leave(const heartbeat_request& request);

}  // namespace weir::group
