// Notices rebalance loops: the same cause, by the same member, so many times within a window. Of one group, in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "group/event.hpp"

namespace weir::actors {

/// From timeline.loop.*
struct loop_limits {
  std::int32_t count = 5;            ///< so many are a loop; 0: none is
  std::int64_t window_ms = 600'000;  ///< within so long
};

class rebalance_loops {
 public:
  explicit rebalance_loops(loop_limits limits) : limits_(limits) {}

  /// The alarm if this event makes a loop of what was none before. Targets and steps of warm-ups never do: one
  /// rebalance has many of them.
  std::optional<group::loop_alarm> note(const group::event& what);
  /// Those that are on at that time.
  [[nodiscard]] std::vector<group::loop_alarm> on_at(std::int64_t now_ms) const;

 private:
  struct seen {
    group::cause why;
    std::string member_id;
    std::int64_t time_ms;
  };
  static constexpr std::size_t seen_max = 1'000;

  [[nodiscard]] group::loop_alarm tally(const seen& like, std::int64_t now_ms) const;

  loop_limits limits_;
  std::vector<seen> seen_;  // oldest first
};

}  // namespace weir::actors
