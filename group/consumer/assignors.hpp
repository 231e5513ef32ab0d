// The server-side assignors of consumer groups, `uniform` and `range` (KIP-848), as pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "group/consumer/members.hpp"
#include "metadata/image.hpp"

namespace weir::group {

/// In the order in which an error lists them; the first is the default.
inline constexpr std::string_view consumer_assignors[] = {"uniform", "range"};

/// Members and what they want. Members with the same wishes have the same number in `wish_of`.
struct consumer_wishes {
  std::vector<std::string_view> members;                 ///< ascending by id
  std::vector<std::size_t> wish_of;                      ///< by member
  std::vector<std::set<std::string, std::less<>>> wishes;  ///< names of topics, not all of which need exist
};

using consumer_targets = std::map<std::string, std::shared_ptr<const partition_set>, std::less<>>;

/// Every partition of every wanted topic goes to one member that wants it. Members hold as many partitions as the
/// others that want the same, give or take one; topics that fewer members want are dealt first. What a member had stays
/// with it as far as that allows. If all members want the same, the result is the one of a Kafka 4.4 broker for one
/// topic, and as even for several.
/// O(partitions + members x kinds of topics by who wants them).
[[nodiscard]] consumer_targets assign_uniform(const consumer_wishes& wanted, const metadata::image& image,
                                              const consumer_targets& before);

/// Topic by topic: the partitions in as many runs as members want them, to the members in the order of their ids,
/// longer runs first.
[[nodiscard]] consumer_targets assign_range(const consumer_wishes& wanted, const metadata::image& image);

}  // namespace weir::group
