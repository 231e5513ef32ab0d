// Defaults of all groups that an administrator has set while the coordinator runs: over the configuration's, below a
// group's own settings.
#pragma once

#include <vector>

#include "group/config.hpp"
#include "group/event.hpp"

namespace weir::group {

/// The broker's settings with the defaults of `set` (full names of 10.2, as in overrides) in the place of those that it
/// was configured with. Bounds stay; values outside of them are clamped. `streams.assignor.name` becomes the first of
/// the assignors.
[[nodiscard]] broker_config with_defaults(const overrides& set, const broker_config& configured);

/// What differs between two sets of settings, old -> new.
[[nodiscard]] std::vector<field_change> differences(const overrides& before, const overrides& after);

}  // namespace weir::group
