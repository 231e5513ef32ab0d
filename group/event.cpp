#include "group/event.hpp"

namespace weir::group {

std::string_view name(cause why) noexcept {
  switch (why) {
    case cause::member_joined: return "member-joined";
    case cause::member_changed: return "member-changed";
    case cause::metadata_changed: return "metadata-changed";
    case cause::topology_ready: return "topology-ready";
    case cause::topology_not_ready: return "topology-not-ready";
    case cause::assignment_config_changed: return "assignment-config-changed";
    case cause::refinement: return "refinement";
    case cause::member_left: return "member-left";
    case cause::session_expired: return "session-expired";
    case cause::rebalance_expired: return "rebalance-expired";
    case cause::member_removed: return "member-removed";
    case cause::rebalance_requested: return "rebalance-requested";
    case cause::target_computed: return "target-computed";
  }
  return "unknown";
}

}  // namespace weir::group
