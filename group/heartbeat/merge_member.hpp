// S3: the request's fields go into the member; does the group epoch have to move for it?
#pragma once

#include <optional>
#include <vector>

#include "group/event.hpp"
#include "group/heartbeat/admit.hpp"

namespace weir::group {

struct member_change {
  std::optional<member_metadata> merged;  ///< nothing if no stored field differs
  bool needs_epoch = false;               ///< B1 or B2 (spec 01, 3)
  bool endpoint_changed = false;          ///< set, cleared or different

  [[nodiscard]] const member_metadata& after(const member& before) const noexcept {
    return merged ? *merged : before.metadata;
  }
};

/// Spec 01, 1.3. G8.
[[nodiscard]] checked<member_change> merge_member(const call& c, const member& before);

/// Every stored field that differs.
[[nodiscard]] std::vector<field_change> differences(const member_metadata& before, const member_metadata& after);

}  // namespace weir::group
