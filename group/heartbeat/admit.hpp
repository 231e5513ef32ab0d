// S1 and S2: the member this heartbeat is about: found, new, or a static member that comes back.
#pragma once

#include <optional>
#include <string>

#include "group/heartbeat/read_request.hpp"

namespace weir::group {

/// The member before this heartbeat.
struct admitted {
  /// The stored member; null if the member is new or replaces another.
  const member* stored = nullptr;
  /// A static member that returns after a temporary leave: the copy of the old member under the new id (2.4.4).
  std::optional<member> replacement;
  /// Its old id, a key of group.members; null if nobody is replaced.
  const std::string* replaced_id = nullptr;
  /// Set if it joins with another topology epoch than it had (spec 01, 11.3): its assignment without the tasks of its
  /// former life. It joins with none, so they are free; its target is void, too. Never under strict.kafka.
  std::optional<current_assignment> fresh_start{};

  [[nodiscard]] bool is_new() const noexcept { return stored == nullptr && !replacement; }
  /// The member as the later steps start from it; a new one has the defaults of spec 01, 1.3.
  [[nodiscard]] const member& before() const noexcept;
  /// The assignment it is reconciled from.
  [[nodiscard]] const current_assignment& starting_point() const noexcept {
    return fresh_start ? *fresh_start : before().current;
  }
  [[nodiscard]] bool switches_topology() const noexcept { return fresh_start.has_value(); }
};

/// G1 to G7.
[[nodiscard]] checked<admitted> admit(const call& c, const std::optional<owned_report>& owned);

}  // namespace weir::group
