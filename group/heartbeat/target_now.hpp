// A target assignment that no heartbeat asks for: at a wake-up, or because an administrator wants it.
#pragma once

#include "group/heartbeat/settle_target.hpp"

namespace weir::group {

/// Adds records, soft changes and event of a new target to the outcome. Nothing if the assignor fails: then the next
/// heartbeat computes, and tells.
void add_target(const streams_group& group, const target_basis& basis, const world& world, change_outcome& outcome);

}  // namespace weir::group
