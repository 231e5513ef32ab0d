// S8: does the group epoch move, and why (spec 01, section 3)? At most by one a heartbeat.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "group/heartbeat/settle_topology.hpp"

namespace weir::group {

struct epoch_plan {
  std::int32_t epoch = 0;                 ///< of the group after this heartbeat
  std::optional<group_metadata> written;  ///< the new record if it moved
  std::optional<event> explanation;       ///< if it moved; its assignment epoch is filled in later

  [[nodiscard]] bool is_bumped() const noexcept { return written.has_value(); }
};

[[nodiscard]] epoch_plan decide_epoch(const call& c, const admitted& member, const member_change& change,
                                      const topology_plan& topology);

/// An event about the member, with time, group epoch and assignment epoch.
[[nodiscard]] event event_about(cause why, std::string_view member_id, const member_metadata& member,
                                std::int64_t now_ms);

}  // namespace weir::group
