#include "group/topology/repartition.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "group/topology/some_names.hpp"

namespace weir::group {
namespace {

struct pass_result {
  bool progress = false;
  std::vector<std::string> undecided;  // sinks
};

void decide_fixed(std::span<const subtopology* const> order, partition_counts& counts);
pass_result pass(std::span<const subtopology* const> order, partition_counts& counts);
std::optional<std::int32_t> largest_known_input(const subtopology& part, const partition_counts& counts);
std::optional<refusal> find_unwritten(std::span<const subtopology* const> order, const partition_counts& counts);

}  // namespace

std::optional<refusal> decide_repartition_counts(std::span<const subtopology* const> order, partition_counts& counts) {
  decide_fixed(order, counts);
  for (;;) {
    auto result = pass(order, counts);
    if (result.undecided.empty()) return find_unwritten(order, counts);
    if (result.progress) continue;
    return refusal{protocol::error_code::streams_invalid_topology,
                   "Repartition topics form a cycle that no other topic feeds, so their number of partitions cannot be "
                   "derived: " + some_names(result.undecided) + "."};
  }
}

namespace {

void decide_fixed(std::span<const subtopology* const> order, partition_counts& counts) {
  for (const auto* part : order) {
    for (const auto& info : part->repartition_source_topics) {
      if (info.partitions != 0) counts.decide(info.name, info.partitions);
    }
  }
}

/// A count is final as soon as one input is known, even if a larger one becomes known later (c31, c32).
pass_result pass(std::span<const subtopology* const> order, partition_counts& counts) {
  pass_result result;
  for (const auto* part : order) {
    for (const auto& sink : part->repartition_sink_topics) {
      if (counts.decided(sink)) continue;
      if (auto count = largest_known_input(*part, counts)) {
        counts.decide(sink, *count);
        result.progress = true;
      } else {
        result.undecided.push_back(sink);
      }
    }
  }
  return result;
}

/// Existing repartition topics do not count here, only what is decided for them.
std::optional<std::int32_t> largest_known_input(const subtopology& part, const partition_counts& counts) {
  std::optional<std::int32_t> largest;
  for (const auto& name : part.source_topics) largest = std::max(largest, counts.existing(name));
  for (const auto& info : part.repartition_source_topics) largest = std::max(largest, counts.decided(info.name));
  return largest;
}

std::optional<refusal> find_unwritten(std::span<const subtopology* const> order, const partition_counts& counts) {
  for (const auto* part : order) {
    for (const auto& info : part->repartition_source_topics) {
      if (counts.decided(info.name)) continue;
      return refusal{protocol::error_code::streams_invalid_topology,
                     "Repartition topic " + info.name + " of subtopology " + part->id +
                         " has no number of partitions and no subtopology writes it."};
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace weir::group
