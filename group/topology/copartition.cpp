#include "group/topology/copartition.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "group/topology/some_names.hpp"

namespace weir::group {
namespace {

using name_set = std::set<std::string>;

/// The repartition source topics of the whole topology. A name may be in both sets.
struct repartition_names {
  name_set all;
  name_set fixed;
};

repartition_names collect(std::span<const subtopology* const> order);
std::optional<obstacle> enforce(const name_set& group, const repartition_names& repartition, copartition_scope scope,
                                partition_counts& counts);
tl::expected<std::int32_t, obstacle> find_count(const name_set& group, const repartition_names& repartition,
                                                copartition_scope scope, const partition_counts& counts);
tl::expected<std::int32_t, obstacle> common_count(const name_set& topics, const partition_counts& counts);
tl::expected<std::int32_t, obstacle> largest_count(const name_set& topics, const partition_counts& counts);
topology_problem unequal(const name_set& topics, const partition_counts& counts);
name_set common(const name_set& a, const name_set& b);

}  // namespace

std::optional<obstacle> enforce_copartitioning(std::span<const subtopology* const> order, copartition_scope scope,
                                               partition_counts& counts) {
  auto repartition = collect(order);
  for (const auto* part : order) {
    for (const auto& indexes : part->copartition_groups) {
      auto group = copartitioned_topics(*part, indexes);
      if (!group || group->empty()) continue;
      if (auto met = enforce(*group, repartition, scope, counts)) return met;
    }
  }
  return std::nullopt;
}

namespace {

repartition_names collect(std::span<const subtopology* const> order) {
  repartition_names found;
  for (const auto* part : order) {
    for (const auto& info : part->repartition_source_topics) {
      found.all.insert(info.name);
      if (info.partitions != 0) found.fixed.insert(info.name);
    }
  }
  return found;
}

std::optional<obstacle> enforce(const name_set& group, const repartition_names& repartition, copartition_scope scope,
                                partition_counts& counts) {
  auto count = find_count(group, repartition, scope, counts);
  if (!count) return std::move(count.error());
  auto differs = [&](const std::string& name) { return counts.of(name) != *count; };
  if (std::ranges::any_of(common(group, repartition.fixed), differs)) return unequal(group, counts);
  for (const auto& name : common(group, repartition.all)) counts.decide(name, *count);
  return std::nullopt;
}

tl::expected<std::int32_t, obstacle> find_count(const name_set& group, const repartition_names& repartition,
                                                copartition_scope scope, const partition_counts& counts) {
  name_set external;
  std::ranges::set_difference(group, repartition.all, std::inserter(external, external.end()));
  if (!external.empty()) return common_count(external, counts);
  // Kafka looks at the fixed topics of the whole topology, related or not. Topics it created carry such counts.
  auto fixed = scope == copartition_scope::topology ? repartition.fixed : common(group, repartition.fixed);
  return fixed.empty() ? largest_count(group, counts) : common_count(fixed, counts);
}

tl::expected<std::int32_t, obstacle> common_count(const name_set& topics, const partition_counts& counts) {
  auto count = counts.of(*topics.begin());
  auto differs = [&](const std::string& name) { return counts.of(name) != count; };
  if (std::ranges::any_of(topics, differs)) return tl::unexpected<obstacle>(unequal(topics, counts));
  return count.value_or(0);
}

tl::expected<std::int32_t, obstacle> largest_count(const name_set& topics, const partition_counts& counts) {
  std::int32_t largest = 0;
  for (const auto& name : topics) largest = std::max(largest, counts.of(name).value_or(0));
  if (largest > 0) return largest;
  return tl::unexpected<obstacle>(refusal{
      protocol::error_code::streams_invalid_topology,
      "No number of partitions follows for the copartitioned topics " + some_names({topics.begin(), topics.end()}) +
          "."});
}

topology_problem unequal(const name_set& topics, const partition_counts& counts) {
  std::vector<std::string> listed;
  topology_problem problem{topology_status::incorrectly_partitioned_topics, {}, {}};
  for (const auto& name : topics) {
    const auto partitions = counts.of(name).value_or(0);
    listed.push_back(name + " (" + std::to_string(partitions) + ")");
    if (problem.topics.size() < faulty_topics_max) problem.topics.push_back({name, 0, partitions});
  }
  problem.detail = "Topics must have the same number of partitions, but differ: " + some_names(listed) + ".";
  return problem;
}

name_set common(const name_set& a, const name_set& b) {
  name_set both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

}  // namespace
}  // namespace weir::group
