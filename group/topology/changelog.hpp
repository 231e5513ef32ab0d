// Step 4 of configuring: a changelog has a partition for each task (spec 02, 4.1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "group/refusal.hpp"
#include "group/topology/partition_counts.hpp"
#include "group/topology/topology.hpp"

namespace weir::group {

/// Refused: a subtopology that reads nothing, with or without state.
[[nodiscard]] std::optional<refusal> decide_changelog_counts(std::span<const subtopology* const> order,
                                                             partition_counts& counts);

/// The largest count of its source and repartition source topics, once these are known; nothing if it reads nothing.
[[nodiscard]] std::optional<std::int32_t> task_count(const subtopology& part, const partition_counts& counts);

}  // namespace weir::group
