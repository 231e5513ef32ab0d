// Versions of a topology that members of one group run during a rolling upgrade (spec 01, 11.3). The group has one
// topology, the newest; members of an older epoch keep the tasks they have and get no others.
//
// What makes it safe: task p reads partition p of its topics and no other partition. So two tasks of different versions
// can only meet in an input partition if they have the same number. That rule needs no former topology, and so it holds
// after a restart, which forgets them. While former topologies are remembered, tasks whose subtopologies share no topic
// do not block each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "group/streams_group.hpp"
#include "group/topology/patterns.hpp"

namespace weir::group {

/// The topology of that epoch: the group's, or a former one if it is remembered. Null if it is not.
[[nodiscard]] const topology* version_of(const streams_group& group, std::int32_t epoch);

/// What the patterns of that topology match; null: it has none, or that is not known.
[[nodiscard]] std::shared_ptr<const pattern_matches> matches_of_version(const streams_group& group, std::int32_t epoch);

/// How many members run the topology of each epoch, counted anew: what streams_group::members_by_topology holds.
[[nodiscard]] std::map<std::int32_t, std::size_t> count_versions(
    const std::map<std::string, member, std::less<>>& members);

/// How many members run the topology of that epoch.
[[nodiscard]] std::size_t count_of_version(const streams_group& group, std::int32_t epoch) noexcept;

/// Nobody runs another topology than that of the epoch, as is the rule.
[[nodiscard]] bool is_only_version(const streams_group& group, std::int32_t epoch) noexcept;

/// The member runs an older topology than the group's.
[[nodiscard]] bool is_stale(const streams_group& group, const member_metadata& member) noexcept;

/// Some member runs the topology that the group has; true if it has none, or no members. Looks at members until it
/// finds one.
[[nodiscard]] bool is_newest_run(const streams_group& group) noexcept;

/// Active tasks of the members of other versions, held against what a member of one version wants.
class foreign_claims {
 public:
  /// Of all members but `member_id` and `replaced_id`. `own`: the topology of the member, not in the group yet if it
  /// brings it. What is passed must outlive this. O(their tasks).
  foreign_claims(const streams_group& group, const topology& own, std::string_view member_id,
                 const std::string* replaced_id);

  /// The member whose task may read what the task of `own` reads, or write what it writes; null if there is none. The
  /// tasks that it has to revoke count.
  [[nodiscard]] const std::string* holder(std::string_view subtopology, std::int32_t partition) const;

 private:
  struct claim {
    const std::string* member_id;
    const topology* version;  // null: unknown
    std::string_view subtopology;
  };
  void add(const std::string& member_id, const topology* version, const task_epochs& tasks);

  const topology& own_;
  std::map<std::int32_t, std::vector<claim>> claims_;
};

/// Whether members of the group read a topic: those of its topology or of a former one. Versions that are not
/// remembered and patterns that nobody has tried count as reading everything. The group must outlive this. In Kafka all
/// members read what the group's topology says.
class live_readers {
 public:
  explicit live_readers(const streams_group& group, bool strict_kafka = false);

  [[nodiscard]] bool reads(std::string_view topic) const;

 private:
  std::vector<topic_readers> versions_;
  bool has_unknown_ = false;
};

}  // namespace weir::group
