#include "group/topology/changelog.hpp"

#include <algorithm>

namespace weir::group {

std::optional<refusal> decide_changelog_counts(std::span<const subtopology* const> order, partition_counts& counts) {
  for (const auto* part : order) {
    auto count = task_count(*part, counts);
    if (!count) {
      return refusal{protocol::error_code::streams_invalid_topology,
                     "Subtopology " + part->id + " has no source topic and no repartition source topic."};
    }
    for (const auto& info : part->state_changelog_topics) counts.decide(info.name, *count);
  }
  return std::nullopt;
}

std::optional<std::int32_t> task_count(const subtopology& part, const partition_counts& counts) {
  std::optional<std::int32_t> largest;
  for (const auto& name : part.source_topics) largest = std::max(largest, counts.of(name));
  for (const auto& info : part.repartition_source_topics) largest = std::max(largest, counts.of(info.name));
  return largest;
}

}  // namespace weir::group
