// Step 3 of configuring: topics that are joined get equally many partitions (spec 02, 4.1).
#pragma once

#include <optional>
#include <span>
#include <variant>

#include "group/topology/configure.hpp"
#include "group/topology/partition_counts.hpp"

namespace weir::group {

/// What stops configuring: a problem that better topics would solve, or a refusal.
using obstacle = std::variant<topology_problem, refusal>;

/// Gives the repartition topics of every copartition group the group's count. All counts are known, all indexes are in
/// range. Problem 2: sources or fixed topics that differ. Refused: a group whose count would be 0.
[[nodiscard]] std::optional<obstacle> enforce_copartitioning(std::span<const subtopology* const> order,
                                                             copartition_scope scope, partition_counts& counts);

}  // namespace weir::group
