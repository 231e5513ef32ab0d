#include <algorithm>
#include <set>
#include <utility>

#include "group/rehearsal/rehearsal.hpp"
#include "group/topology/patterns.hpp"
#include "group/topology/some_names.hpp"
#include "group/topology/validate.hpp"

namespace weir::group {
namespace {

std::int32_t partitions_of(const metadata::image& image, std::string_view name) {
  const auto* found = image.find(name);
  return found == nullptr ? 0 : found->partition_count();
}

std::optional<refusal> refuse_topology(const topology& of, bool strict_kafka) {
  if (of.subtopologies.empty()) {
    return refusal{protocol::error_code::streams_invalid_topology, "it has no subtopologies"};
  }
  if (auto refused = check_structure(of, strict_kafka)) return refused;
  if (auto refused = check_internal_topics(of)) return refused;
  if (auto refused = check_topic_names(of)) return refused;
  if (auto refused = strict_kafka ? check_source_regex(of) : check_patterns(of)) return refused;
  return check_changelog_partitions(of);
}

/// Null without patterns.
tl::expected<pattern_matches_ptr, refusal> match_all(const topology& of, const rehearsal_basis& basis) {
  if (!reads_patterns(of)) return nullptr;
  match_meter meter(basis.matching);
  auto matches = match_patterns(of, *basis.image, nullptr, true, meter);
  if (!matches || (*matches)->unseen == 0) return matches;
  return tl::unexpected(refusal{protocol::error_code::streams_invalid_topology,
                                "The patterns of source topics take too long to be tried on so many topics; " +
                                    std::to_string((*matches)->unseen) + " were not looked at."});
}

void add_sources(const topology& plain, const metadata::image& image, rehearsal& to) {
  std::set<std::string> sources;
  for (const auto& part : plain.subtopologies) sources.insert(part.source_topics.begin(), part.source_topics.end());
  for (const auto& name : sources) {
    const auto found = partitions_of(image, name);
    to.topics.push_back({name, "source", 0, found, found > 0 ? verdict::ok : verdict::error});
  }
}

/// Of those that are there or would be created: whoever else writes to them, Weir does not care.
void add_internal(const configured_topology& made, const metadata::image& image, rehearsal& to) {
  const auto add = [&](const auto& topics, std::string_view role) {
    for (const auto& [name, topic] : topics) {
      const bool is_told = std::ranges::any_of(to.topics, [&](const auto& row) { return row.name == name; });
      if (!is_told) to.topics.push_back({name, role, topic.partitions, partitions_of(image, name), verdict::ok});
    }
  };
  for (const auto& [id, part] : *made.subtopologies) {
    add(part.repartition_sources, "repartition");
    add(part.changelogs, "changelog");
  }
}

/// Topics with other partitions than they need.
void add_faults(const topology_problem& problem, rehearsal& to) {
  for (const auto& fault : problem.topics) {
    const auto row = std::ranges::find(to.topics, fault.name, &rehearsed_topic::name);
    if (row == to.topics.end()) {
      to.topics.push_back({fault.name, "internal", fault.expected, fault.found, verdict::error});
    } else {
      row->expected = fault.expected;
      row->outcome = verdict::error;
    }
  }
}

void tell_of_internal(const configured_topology& made, rehearsal& to) {
  std::size_t all = 0;
  for (const auto& row : to.topics) all += row.role == "repartition" || row.role == "changelog" ? 1 : 0;
  const auto missing = made.topics_to_create.size();
  std::string text = std::to_string(all - missing) + " are there and fit";
  if (missing > 0) {
    std::vector<std::string> names;
    for (const auto& [name, topic] : made.topics_to_create) names.push_back(name);
    text += ", " + std::to_string(missing) + " will be created: " + some_names(names);
  }
  to.checks.push_back({"internal-topics", verdict::ok, all == 0 ? "it has none" : std::move(text)});
}

}  // namespace

std::optional<fitting_topology> rehearse_topics(const rehearsal_question& asked, const rehearsal_basis& basis,
                                                rehearsal& to) {
  const auto& image = *basis.image;
  const auto say = [&](std::string_view check, verdict outcome, std::string text) {
    to.checks.push_back({check, outcome, std::move(text)});
  };
  if (auto refused = refuse_topology(asked.topology, basis.strict_kafka)) {
    say("topology", verdict::error, std::move(refused->message));
    return std::nullopt;
  }
  const bool has_patterns = reads_patterns(asked.topology);
  const auto matches = match_all(asked.topology, basis);
  if (!matches) {
    say("topology", verdict::error, matches.error().message);
    return std::nullopt;
  }
  const auto made =
      configure(asked.topology, image, 0, {.strict_kafka = basis.strict_kafka, .matches = matches->get()});
  if (!made) {
    say("topology", verdict::error, made.error().message);
    return std::nullopt;
  }
  say("topology", verdict::ok,
      std::to_string(asked.topology.subtopologies.size()) + " subtopologies" +
          (has_patterns ? "; its patterns are resolved by Weir, again whenever topics come and go" : ""));
  add_sources(resolve(asked.topology, matches->get()).plain, image, to);
  if (made->problem && made->problem->status != topology_status::missing_internal_topics) {
    add_faults(*made->problem, to);
    say("source-topics", verdict::error, made->problem->detail);
    return std::nullopt;
  }
  say("source-topics", verdict::ok, std::to_string(to.topics.size()) + " are there, and their partitions fit together");
  add_internal(*made, image, to);
  tell_of_internal(*made, to);
  return fitting_topology{*made, *matches};
}

metadata::image_ptr with_internal_topics(const metadata::image_ptr& image, const configured_topology& configured) {
  metadata::image_builder builder(image);
  for (const auto& [name, topic] : configured.topics_to_create) {
    metadata::topic next;
    next.name = name;
    next.partition_racks.resize(static_cast<std::size_t>(topic.partitions));
    builder.put_topic(std::move(next));
  }
  return builder.build(image->version() + 1);
}

}  // namespace weir::group
