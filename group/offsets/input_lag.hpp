// input_lag: how far a group has read what it reads: its committed offsets beside the ends of the partitions, whoever
// told them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "group/streams_group.hpp"

namespace weir::group {

/// Most partitions that one answer tells of, and whose ends the upstream is asked for.
inline constexpr std::size_t lag_partitions_max = 10'000;

/// Which offsets are wanted.
struct offset_question {
  std::string group_id;
  std::vector<std::string> topics;  ///< what the group reads; those with committed offsets come too
};

/// Where a partition ends, or why that is not known.
struct partition_end {
  std::optional<std::int64_t> offset;
  std::string reason;  ///< empty with an offset

  bool operator==(const partition_end&) const = default;
};

/// The offsets of a group at one moment.
struct told_offsets {
  std::int64_t at_ms = 0;
  std::string problem;         ///< why not everything could be asked; empty: it could
  bool has_committed = false;  ///< the committed offsets are known
  std::map<std::string, std::map<std::int32_t, committed_offset>, std::less<>> committed;
  std::map<std::string, std::map<std::int32_t, partition_end>, std::less<>> ends;
};
using told_offsets_ptr = std::shared_ptr<const told_offsets>;

/// One partition that the group reads, or has a committed offset of.
struct read_partition {
  std::string topic;
  std::int32_t partition = 0;
  std::optional<committed_offset> committed;
  std::optional<std::int64_t> end_offset;
  std::optional<std::int64_t> lag;  ///< records from the committed offset to the end, at least 0
  std::string reason;               ///< why there is no lag; empty: there is one
  /// Of the task that reads it, which has the same partition, as its member calls it; empty: no task does.
  std::string subtopology_id;
  std::string member_id;            ///< who runs that task; empty: nobody
};

struct lag_sum {
  std::size_t partitions = 0;
  std::size_t unknown = 0;  ///< of them without a lag
  std::int64_t lag = 0;     ///< of the others

  bool operator==(const lag_sum&) const = default;
};

struct input_lag {
  std::vector<read_partition> partitions;  ///< by topic and partition, lag_partitions_max at most
  std::size_t left_out = 0;                ///< beyond these, and in no sum
  std::map<std::string, lag_sum, std::less<>> by_subtopology;
  lag_sum total;  ///< also of partitions that no task reads
};

/// What the members of one topology epoch read.
struct version_read {
  std::int32_t epoch = 0;
  /// Source and repartition topics, and what patterns are known to match -> the subtopology that reads it.
  std::map<std::string, std::string, std::less<>> topics;
};

/// By the group's topology, which comes first, and by former ones that members still run.
[[nodiscard]] std::vector<version_read> versions_read(const streams_group& group);

/// The names of all of them; ascending.
[[nodiscard]] std::set<std::string, std::less<>> topics_read(const streams_group& group);

/// In embedded mode: the group's own committed offsets, and topics that hold no data, so each partition ends at 0 (as
/// ListOffsets says). Offsets of topics that are gone are left out. O(partitions).
[[nodiscard]] told_offsets own_offsets(const streams_group& group, const metadata::image& image, std::int64_t now_ms);

/// Every partition that the group reads, and others with a committed offset. `only_topic` empty: of all topics.
[[nodiscard]] input_lag lag_of_input(const streams_group& group, const metadata::image& image,
                                     const told_offsets& told, std::string_view only_topic);

}  // namespace weir::group
