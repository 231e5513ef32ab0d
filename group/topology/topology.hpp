// topology: what a Kafka Streams application reads, writes and keeps, as its members sent it (spec 02, section 1).
// Owned by the group and persisted unchanged; what it means against the topics that exist is in configure.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace weir::group {

/// Key and value, in the order given. No key twice in a valid topology.
using topic_configs = std::vector<std::pair<std::string, std::string>>;

/// A repartition or changelog topic, named by the application.
struct topic_info {
  std::string name;
  std::int32_t partitions = 0;          ///< 0 = derived from the sources ("flexible"), else "fixed"; 0 for changelogs
  std::int16_t replication_factor = 0;  ///< 0 or -1 = the broker's default
  topic_configs configs;

  bool operator==(const topic_info&) const = default;
};

/// Topics that must have equally many partitions, as indexes into the three arrays of their subtopology.
struct copartition_group {
  std::vector<std::int16_t> source_topics;
  std::vector<std::int16_t> source_topic_regex;
  std::vector<std::int16_t> repartition_source_topics;

  bool operator==(const copartition_group&) const = default;
};

struct subtopology {
  std::string id;
  std::vector<std::string> source_topics;
  std::vector<std::string> source_topic_regex;  ///< patterns of whole names; none under strict.kafka (spec 01, V1)
  std::vector<topic_info> state_changelog_topics;
  std::vector<std::string> repartition_sink_topics;
  std::vector<topic_info> repartition_source_topics;
  std::vector<copartition_group> copartition_groups;

  /// Has state to keep: standbys and warm-ups make sense.
  [[nodiscard]] bool is_stateful() const noexcept { return !state_changelog_topics.empty(); }
  bool operator==(const subtopology&) const = default;
};

/// `==` compares element by element; equivalent(), or equal_by_id() under strict.kafka,
/// decides whether two members run the same application.
struct topology {
  std::int32_t epoch = 0;
  std::vector<subtopology> subtopologies;  ///< in request order

  bool operator==(const topology&) const = default;
};

/// Same application, whatever the order of what was sent: subtopologies by id, topics by name, configs by key,
/// copartition groups as a set of sets of names (the Rule of spec 02, section 1).
[[nodiscard]] bool equivalent(const topology& a, const topology& b);

/// Same subtopologies by id, every list of each in the same order: what Kafka takes for the same application (spec 01,
/// 4.2), and strict.kafka with it.
[[nodiscard]] bool equal_by_id(const topology& a, const topology& b);

/// The names a copartition group of `part` stands for; regex indexes are ignored: they are gone once the topology is
/// resolved. Nothing if an index points outside of its array.
[[nodiscard]] std::optional<std::set<std::string>> copartitioned_topics(const subtopology& part,
                                                                        const copartition_group& group);

/// Some subtopology has a pattern for its source topics: what it reads depends on the topics there are (spec 01, 11.4).
[[nodiscard]] bool reads_patterns(const topology& topology) noexcept;

/// Source, repartition source and changelog topics, not the sinks: what the metadata hash is about (spec 02, 2). What
/// patterns match is among them once the topology is resolved.
[[nodiscard]] std::set<std::string> required_topics(const topology& topology);

/// Every topic named: the required ones and the sinks (spec 01, F3 to F5).
[[nodiscard]] std::set<std::string> all_topics(const topology& topology);

/// Source or repartition source topic -> id of the subtopology that reads it; of several, the one visited last.
[[nodiscard]] std::map<std::string, std::string, std::less<>> offset_topics(const topology& topology);

/// The order in which Kafka visits subtopologies, that of a Java hash map keyed by id (spec 02, section 4). It decides
/// partition counts of some topologies. Pointers into `topology`.
[[nodiscard]] std::vector<const subtopology*> in_visiting_order(const topology& topology);

}  // namespace weir::group
