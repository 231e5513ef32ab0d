#include "group/topology/configure.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "group/topology/changelog.hpp"
#include "group/topology/copartition.hpp"
#include "group/topology/partition_counts.hpp"
#include "group/topology/patterns.hpp"
#include "group/topology/repartition.hpp"
#include "group/topology/some_names.hpp"
#include "group/topology/validate.hpp"

namespace weir::group {
namespace {

using subtopologies = std::map<std::string, configured_subtopology, std::less<>>;
using internal_topics = std::map<std::string, internal_topic, std::less<>>;

tl::expected<configured_topology, refusal> configure_plain(configured_topology made, const topology& topology,
                                                           const metadata::image& image,
                                                           const configure_options& options);
void add_fault(topology_problem& problem, faulty_topic topic);
std::optional<topology_problem> find_missing_sources(const topology& topology, const metadata::image& image);
std::optional<obstacle> decide_counts(const topology& topology, const configure_options& options,
                                      partition_counts& counts);
subtopologies configure_parts(const topology& topology, const partition_counts& counts);
std::optional<refusal> find_illegal_name(const subtopologies& parts);
std::optional<topology_problem> find_wrong_counts(const subtopologies& parts, const partition_counts& counts,
                                                  bool strict_kafka);
internal_topics find_missing(const subtopologies& parts, const partition_counts& counts);

}  // namespace

tl::expected<configured_topology, refusal> configure(const topology& topology, const metadata::image& image,
                                                     std::int64_t metadata_hash, const configure_options& options) {
  if (auto refused = check_structure(topology, options.strict_kafka)) return tl::unexpected(std::move(*refused));
  configured_topology made;
  made.topology_epoch = topology.epoch;
  made.metadata_hash = metadata_hash;
  if (!reads_patterns(topology)) return configure_plain(std::move(made), topology, image, options);
  auto resolved = resolve(topology, options.matches);
  made.problem = std::move(resolved.problem);
  if (made.problem) return made;
  return configure_plain(std::move(made), resolved.plain, image, options);
}

namespace {

tl::expected<configured_topology, refusal> configure_plain(configured_topology made, const topology& topology,
                                                           const metadata::image& image,
                                                           const configure_options& options) {
  made.problem = find_missing_sources(topology, image);
  if (made.problem) return made;

  partition_counts counts(image);
  if (auto met = decide_counts(topology, options, counts)) {
    if (auto* refused = std::get_if<refusal>(&*met)) return tl::unexpected(std::move(*refused));
    made.problem = std::get<topology_problem>(std::move(*met));
    return made;
  }
  auto parts = configure_parts(topology, counts);
  if (auto refused = find_illegal_name(parts)) return tl::unexpected(std::move(*refused));
  made.problem = find_wrong_counts(parts, counts, options.strict_kafka);
  if (made.problem) return made;

  made.topics_to_create = find_missing(parts, counts);
  made.subtopologies = std::move(parts);
  if (made.topics_to_create.empty()) return made;
  std::vector<std::string> names;
  for (const auto& [name, topic] : made.topics_to_create) names.push_back(name);
  made.problem = {
      topology_status::missing_internal_topics, "Internal topics are missing: " + some_names(names) + ".", {}};
  for (const auto& [name, topic] : made.topics_to_create) add_fault(*made.problem, {name, topic.partitions, 0});
  return made;
}

void add_fault(topology_problem& problem, faulty_topic topic) {
  if (problem.topics.size() < faulty_topics_max) problem.topics.push_back(std::move(topic));
}

/// Step 1.
std::optional<topology_problem> find_missing_sources(const topology& topology, const metadata::image& image) {
  std::set<std::string> missing;
  for (const auto& part : topology.subtopologies) {
    for (const auto& name : part.source_topics) {
      if (image.find(name) == nullptr) missing.insert(name);
    }
  }
  if (missing.empty()) return std::nullopt;
  auto detail = "Source topics are missing: " + some_names({missing.begin(), missing.end()}) + ".";
  topology_problem problem{topology_status::missing_source_topics, std::move(detail), {}};
  for (const auto& name : missing) add_fault(problem, {name, 0, 0});
  return problem;
}

/// Steps 2 to 4.
std::optional<obstacle> decide_counts(const topology& topology, const configure_options& options,
                                      partition_counts& counts) {
  auto order = in_visiting_order(topology);
  if (auto refused = decide_repartition_counts(order, counts)) return std::move(*refused);
  if (auto met = enforce_copartitioning(order, options.scope, counts)) return met;
  if (auto refused = decide_changelog_counts(order, counts)) return std::move(*refused);
  return std::nullopt;
}

internal_topic with_count(const topic_info& info, std::int32_t partitions) {
  return {partitions, info.replication_factor, info.configs};
}

/// Step 5.
subtopologies configure_parts(const topology& topology, const partition_counts& counts) {
  subtopologies parts;
  for (const auto& part : topology.subtopologies) {
    configured_subtopology made;
    made.tasks = task_count(part, counts).value_or(0);
    made.source_topics = part.source_topics;
    made.sink_topics = part.repartition_sink_topics;
    for (const auto& info : part.repartition_source_topics) {
      auto count = info.partitions != 0 ? info.partitions : counts.decided(info.name).value_or(0);
      made.repartition_sources.emplace(info.name, with_count(info, count));
    }
    for (const auto& info : part.state_changelog_topics) {
      made.changelogs.emplace(info.name, with_count(info, counts.decided(info.name).value_or(0)));
    }
    parts.emplace(part.id, std::move(made));
  }
  return parts;
}

std::optional<refusal> find_illegal_name(const subtopologies& parts) {
  for (const auto& [id, part] : parts) {
    for (const auto* topics : {&part.repartition_sources, &part.changelogs}) {
      for (const auto& [name, topic] : *topics) {
        if (is_legal_topic_name(name)) continue;
        return refusal{protocol::error_code::invalid_topic_exception, "Topic name \"" + name + "\" is not legal."};
      }
    }
  }
  return std::nullopt;
}

/// A changelog that is also a source of its subtopology belongs to the user, who may give it fewer partitions than
/// another source has (the Rule for c41).
bool is_reused_source(const configured_subtopology& part, const std::string& changelog) {
  return std::ranges::find(part.source_topics, changelog) != part.source_topics.end();
}

/// Step 6.
std::optional<topology_problem> find_wrong_counts(const subtopologies& parts, const partition_counts& counts,
                                                  bool strict_kafka) {
  std::map<std::string, faulty_topic> wrong;
  auto compare = [&](const std::string& name, const internal_topic& topic) {
    auto real = counts.existing(name);
    if (!real || *real == topic.partitions) return;
    wrong.try_emplace(name + " (" + std::to_string(*real) + " instead of " + std::to_string(topic.partitions) + ")",
                      faulty_topic{name, topic.partitions, *real});
  };
  for (const auto& [id, part] : parts) {
    for (const auto& [name, topic] : part.repartition_sources) compare(name, topic);
    for (const auto& [name, topic] : part.changelogs) {
      if (strict_kafka || !is_reused_source(part, name)) compare(name, topic);
    }
  }
  if (wrong.empty()) return std::nullopt;
  std::vector<std::string> listed;
  for (const auto& [words, topic] : wrong) listed.push_back(words);
  topology_problem problem{
      topology_status::incorrectly_partitioned_topics,
      "Internal topics exist with another number of partitions than the topology needs: " + some_names(listed) + ".",
      {}};
  for (auto& [words, topic] : wrong) add_fault(problem, std::move(topic));
  return problem;
}

/// Step 7 and section 5.
internal_topics find_missing(const subtopologies& parts, const partition_counts& counts) {
  internal_topics missing;
  for (const auto& [id, part] : parts) {
    for (const auto* topics : {&part.repartition_sources, &part.changelogs}) {
      for (const auto& [name, topic] : *topics) {
        if (counts.existing(name)) continue;
        auto [added, is_new] = missing.emplace(name, topic);
        if (added->second.replication_factor == 0) added->second.replication_factor = -1;
      }
    }
  }
  return missing;
}

}  // namespace
}  // namespace weir::group
