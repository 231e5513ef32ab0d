// Step 2 of configuring: how many partitions repartition topics get (spec 02, 4.1).
#pragma once

#include <optional>
#include <span>

#include "group/refusal.hpp"
#include "group/topology/partition_counts.hpp"
#include "group/topology/topology.hpp"

namespace weir::group {

/// Decides every repartition topic that is fixed or written by some subtopology of `order` (in_visiting_order). All
/// source topics exist. Refused: a cycle that no outside topic feeds, a flexible topic that nobody writes.
[[nodiscard]] std::optional<refusal> decide_repartition_counts(std::span<const subtopology* const> order,
                                                               partition_counts& counts);

}  // namespace weir::group
