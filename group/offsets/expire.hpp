// The clean-up of offsets and of empty groups (spec 04, 13.4).
#pragma once

#include <cstdint>

#include "group/streams_group.hpp"

namespace weir::group {

struct retention {
  std::int64_t retention_ms = 604'800'000;  ///< offsets.retention.minutes, 7 days
  /// Count from when the group became empty, if that is later than the commit: an application that was idle on a topic
  /// for a week and is then stopped does not lose its offset at the next sweep.
  bool from_empty = false;
  bool strict_kafka = false;  ///< who reads a topic is judged by the group's topology alone
};

/// Tombstones of the offsets whose time is over and, if none is left of an empty group, of the group. `empty_since_ms`:
/// 0 if unknown; only read with from_empty.
[[nodiscard]] records clean_up(const streams_group& group, const retention& rule, std::int64_t empty_since_ms,
                               std::int64_t now_ms);

}  // namespace weir::group
