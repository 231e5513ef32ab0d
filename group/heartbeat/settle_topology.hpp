// S4 to S6: the group's topology, held against the topics that exist.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "group/heartbeat/merge_member.hpp"

namespace weir::group {

struct topology_plan {
  std::optional<topology> initialised;  ///< what the group gets: its first topology, or another in its place
  bool is_update = false;               ///< another in its place (spec 01, 11.3)
  former_version former;                ///< an older one that members run, to be remembered; null: none
  bool is_stale = false;                ///< the member runs an older topology than the group: status 0
  bool is_outdated = false;             ///< topics have changed, but the patterns are still being tried on them
  bool is_refreshed = false;            ///< the metadata hash was computed in this heartbeat
  std::int64_t metadata_hash = 0;       ///< new or stored
  /// Null only if the group has no topology.
  std::shared_ptr<const configured_topology> configured;
  bool is_reconfigured = false;  ///< `configured` is new
  bool goes_back = false;               ///< to a topology that the members had before
  std::shared_ptr<const pattern_matches> known_matches;  ///< of that one, perhaps in an older image
  std::shared_ptr<const pattern_matches> matches;  ///< of a topology with patterns, if they were tried

  [[nodiscard]] bool is_ready() const noexcept { return configured && configured->ready(); }
  /// -1 unless ready (spec 01, 4.4).
  [[nodiscard]] std::int32_t validated_epoch() const noexcept { return is_ready() ? configured->topology_epoch : -1; }
};

/// The group's topology after this heartbeat; null if it has none. May look into the plan.
[[nodiscard]] const topology* topology_after(const call& c, const topology_plan& plan);

/// G9, G10, G11.
[[nodiscard]] checked<topology_plan> settle_topology(const call& c, const admitted& member,
                                                     const member_metadata& metadata,
                                                     const std::optional<owned_report>& owned);

}  // namespace weir::group
