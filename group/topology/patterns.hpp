// Patterns of source topics (spec 01, 11.4): regular expressions that the coordinator resolves against the topics there
// are. A resolved topology is a plain one: what a pattern matches stands among the source topics.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "group/refusal.hpp"
#include "group/topology/configure.hpp"
#include "group/topology/topology.hpp"
#include "metadata/image.hpp"

namespace re2 {
class RE2;
}

namespace weir::group {

/// Every pattern compiles within its limits, all of them to at most limits::pattern_instructions_max, there are not too
/// many, and copartition groups name existing ones; else STREAMS_INVALID_TOPOLOGY, which says what is wrong with which.
[[nodiscard]] std::optional<refusal> check_patterns(const topology& topology);

/// Why a pattern cannot be used; nothing if it can.
[[nodiscard]] std::optional<std::string> pattern_fault(const std::string& pattern);

/// The topics whose whole name matches, but for Kafka's own; ascending, at most limits::source_topics_max. A pattern
/// that cannot be used matches nothing. O(topics).
[[nodiscard]] std::vector<std::string> topics_matching(const std::string& pattern, const metadata::image& image);

/// What the patterns of one topology match among the topics of one image. Whether a name matches never changes, so the
/// next image costs what is new in it. Never changes once it is made.
struct pattern_matches {
  std::vector<metadata::topic_ptr> seen;         ///< every topic there was, ascending by name
  std::vector<std::vector<std::string>> names;  ///< of each pattern, in the order of the topology; ascending
};
using pattern_matches_ptr = std::shared_ptr<const pattern_matches>;

/// Only topics that the topology does not name itself as internal ones are matched, and none of Kafka's own. The whole
/// name has to match. `before`: of the same topology in another image, or null: only topics that it has not seen are
/// looked at, and if there are none nothing is compiled. Refused: as check_patterns(); if the topology `is_new`, with
/// STREAMS_INVALID_TOPOLOGY, too, if looking at so many topics is more than limits::pattern_work_max.
[[nodiscard]] tl::expected<pattern_matches_ptr, refusal> match_patterns(const topology& topology,
                                                                        const metadata::image& image,
                                                                        const pattern_matches* before, bool is_new);

/// A topology without patterns, or why there is none.
struct resolved_topology {
  topology plain;  ///< source topics and copartition groups with what the patterns match
  /// A pattern without a topic (status 1), a topic that two subtopologies would read, or too many topics (status 2).
  std::optional<topology_problem> problem;
};

/// `matches`: of this topology.
[[nodiscard]] resolved_topology resolve(const topology& topology, const pattern_matches& matches);
/// The same with match_patterns(); what that refuses matches nothing.
[[nodiscard]] resolved_topology resolve(const topology& topology, const metadata::image& image,
                                        const pattern_matches* before = nullptr);

/// Which subtopology reads a topic, whether it names it or has a pattern for it.
class topic_readers {
 public:
  explicit topic_readers(const topology& topology);
  ~topic_readers();
  topic_readers(const topic_readers&) = delete;
  topic_readers& operator=(const topic_readers&) = delete;

  /// The id of the subtopology; nothing if nobody reads the topic. A view into this object.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view topic) const;

 private:
  std::map<std::string, std::string, std::less<>> named_;
  std::vector<std::string> internal_;  ///< sinks and changelogs: no pattern matches them; ascending
  std::vector<std::pair<std::unique_ptr<re2::RE2>, std::string>> patterns_;
};

}  // namespace weir::group
