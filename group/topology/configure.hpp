// configured_topology: a topology held against the topics that exist: how many tasks each subtopology has, which
// internal topics are missing, or why it cannot run yet. Made by configure(), owned by the group, lost on restart.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "group/refusal.hpp"
#include "group/topology/topology.hpp"
#include "metadata/image.hpp"

namespace weir::group {

/// An internal topic with everything needed to create it.
struct internal_topic {
  std::int32_t partitions = 0;
  std::int16_t replication_factor = 0;  ///< as sent; in topics_to_create -1 instead of 0: the broker's default
  topic_configs configs;

  bool operator==(const internal_topic&) const = default;
};

struct configured_subtopology {
  std::int32_t tasks = 0;  ///< task p reads partition p of each source that has one
  std::vector<std::string> source_topics;
  std::map<std::string, internal_topic, std::less<>> repartition_sources;
  std::vector<std::string> sink_topics;
  std::map<std::string, internal_topic, std::less<>> changelogs;

  [[nodiscard]] bool stateful() const noexcept { return !changelogs.empty(); }
  bool operator==(const configured_subtopology&) const = default;
};

/// Values of topology_problem::status, those of the heartbeat answer (spec 01, 5.4).
namespace topology_status {
inline constexpr std::int8_t missing_source_topics = 1;
inline constexpr std::int8_t incorrectly_partitioned_topics = 2;
inline constexpr std::int8_t missing_internal_topics = 3;
}  // namespace topology_status

/// One topic that keeps a topology from being ready.
struct faulty_topic {
  std::string name;
  std::int32_t expected = 0;  ///< partitions; 0: any number, or as many as others have
  std::int32_t found = 0;     ///< 0: it does not exist

  bool operator==(const faulty_topic&) const = default;
};
inline constexpr std::size_t faulty_topics_max = 100;

/// Why the topology is not ready; the heartbeat succeeds and says so.
struct topology_problem {
  std::int8_t status = 0;
  std::string detail;  ///< for people; names at most three topics, then how many more
  std::vector<faulty_topic> topics;  ///< the first faulty_topics_max, by name

  bool operator==(const topology_problem&) const = default;
};

struct configured_topology {
  std::int32_t topology_epoch = 0;
  std::int64_t metadata_hash = 0;  ///< the group hash of the image it was made from
  /// By id. Absent with problems 1 and 2, present with problem 3.
  std::optional<std::map<std::string, configured_subtopology, std::less<>>> subtopologies;
  std::map<std::string, internal_topic, std::less<>> topics_to_create;  ///< not empty exactly with problem 3
  std::optional<topology_problem> problem;

  [[nodiscard]] bool ready() const noexcept { return !problem; }
  bool operator==(const configured_topology&) const = default;
};

/// Whose fixed repartition topics decide a copartition group of nothing but repartition topics (spec 02, 4.1 step 3).
enum class copartition_scope : std::uint8_t {
  group,     ///< those of the group itself
  topology,  ///< those of the whole topology, as Kafka does (c23, c24)
};

struct pattern_matches;  // patterns.hpp

struct configure_options {
  bool strict_kafka = false;  ///< reproduce c41 and the error codes of c36 and c37
  copartition_scope scope = copartition_scope::topology;
  const pattern_matches* matches = nullptr;  ///< of the topology; null: its patterns match nothing
};

/// Spec 02, section 4. Patterns stand for what they match (spec 01, 11.4).
/// Refused if no topics could ever make it run: STREAMS_INVALID_TOPOLOGY, INVALID_TOPIC_EXCEPTION
/// for an illegal internal name, or check_structure()'s code.
[[nodiscard]] tl::expected<configured_topology, refusal> configure(const topology& topology,
                                                                   const metadata::image& image,
                                                                   std::int64_t metadata_hash,
                                                                   const configure_options& options);

}  // namespace weir::group
