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
#include "group/topology/match_limit.hpp"
#include "group/topology/topology.hpp"
#include "metadata/image.hpp"

namespace weir::group {

/// Every pattern compiles within its limits, all of them to at most limits::pattern_instructions_max, there are not too
/// many, and copartition groups name existing ones; else STREAMS_INVALID_TOPOLOGY, which says what is wrong with which.
[[nodiscard]] std::optional<refusal> check_patterns(const topology& topology);

/// Why a pattern cannot be used; nothing if it can.
[[nodiscard]] std::optional<std::string> pattern_fault(const std::string& pattern);

/// What patterns match among the topics of one image. Whether a name matches never changes, so the next image costs
/// what is new in it. Never changes once it is made.
struct pattern_matches {
  std::vector<metadata::topic_ptr> seen;        ///< every topic that was looked at or need not be, ascending by name
  std::vector<std::vector<std::string>> names;  ///< of each pattern, in the order of the topology; ascending
  std::size_t unseen = 0;                       ///< topics for which there was no time; the next call goes on with them
  bool are_too_many = false;  ///< more than limits::pattern_matches_max: no names, and nothing is seen
};
using pattern_matches_ptr = std::shared_ptr<const pattern_matches>;

/// Only topics that the topology does not name itself as internal ones are matched, and none of Kafka's own. The whole
/// name has to match. `before`: of the same topology in another image, or null: only topics that it has not seen are
/// looked at, and if there are none nothing is compiled. Goes on until the meter is over, for one topic at least;
/// without a meter, to the end. Refused: as check_patterns(); if the topology `is_new`, with STREAMS_INVALID_TOPOLOGY,
/// too, if looking at so many topics is more than limits::pattern_work_max.
[[nodiscard]] tl::expected<pattern_matches_ptr, refusal> match_patterns(const topology& topology,
                                                                        const metadata::image& image,
                                                                        const pattern_matches* before, bool is_new,
                                                                        match_meter& meter);
[[nodiscard]] tl::expected<pattern_matches_ptr, refusal> match_patterns(const topology& topology,
                                                                        const metadata::image& image,
                                                                        const pattern_matches* before, bool is_new);

/// For the patterns of consumer groups: a topology that has nothing but this one.
[[nodiscard]] topology topology_of(const std::string& pattern);

/// A topology without patterns, or why there is none.
struct resolved_topology {
  topology plain;  ///< source topics and copartition groups with what the patterns match
  /// A pattern without a topic (status 1), a topic that two subtopologies would read, or too many topics (status 2).
  std::optional<topology_problem> problem;
};

/// `matches`: of this topology; null: its patterns match nothing.
[[nodiscard]] resolved_topology resolve(const topology& topology, const pattern_matches* matches);

/// Which subtopology reads a topic, whether it names it or has a pattern that matches it.
class topic_readers {
 public:
  /// `matches`: of this topology; null: not known. Both must outlive this.
  topic_readers(const topology& topology, const pattern_matches* matches);

  /// The id of the subtopology; nothing if nobody is known to read the topic.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view topic) const;
  /// False: it has patterns, and nobody has tried them.
  [[nodiscard]] bool knows_all() const noexcept { return knows_all_; }

 private:
  std::map<std::string, std::string, std::less<>> named_;
  std::vector<std::pair<const std::vector<std::string>*, std::string_view>> matched_;  ///< with who reads them
  bool knows_all_ = true;
};

}  // namespace weir::group
