#include "group/soft_state.hpp"

#include <algorithm>

#include "base/saturated.hpp"

namespace weir::group {

std::string_view name(near_miss::kind what) noexcept {
  switch (what) {
    case near_miss::kind::late_heartbeat: return "late-heartbeat";
    case near_miss::kind::late_return: return "late-return";
  }
  return "unknown";
}

std::optional<near_miss> near_miss_of(near_miss::kind what, std::string_view member_id, std::int64_t now_ms,
                                      std::int64_t left_ms, std::int64_t limit_ms) {
  if (left_ms * 100 > limit_ms * (100 - near_miss_percent)) return std::nullopt;
  return near_miss{.time_ms = now_ms,
                   .member_id = std::string(member_id),
                   .what = what,
                   .after_ms = limit_ms - left_ms,
                   .limit_ms = limit_ms};
}

std::optional<std::int64_t> lag_of(const member_soft& soft, std::string_view subtopology,
                                   std::int32_t partition) noexcept {
  const auto at = known_offset(soft.offsets, subtopology, partition);
  const auto end = known_offset(soft.end_offsets, subtopology, partition);
  if (!at || !end) return std::nullopt;
  return std::max<std::int64_t>(saturated_difference(*end, *at), 0);
}

}  // namespace weir::group
