// Committing and fetching offsets of a group: who may, and what it writes (spec 05, 4.2 to 4.4; spec 01 appendix B).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "group/refusal.hpp"
#include "group/streams_group.hpp"

namespace weir::group {

/// The member fields of OffsetCommit or TxnOffsetCommit and the partitions it names.
struct commit_check {
  std::int16_t version = 9;
  bool transactional = false;
  std::string_view member_id;
  std::optional<std::string_view> instance_id;  ///< judged for classic members only
  std::int32_t member_epoch = -1;
  bool strict_kafka = false;  ///< members of every version are judged by the group's topology
  const metadata::image* image = nullptr;  ///< says which topics members of a consumer group hold; null: none
  /// Topic name and partition of everything that is committed.
  std::vector<std::pair<std::string_view, std::int32_t>> partitions;
};

/// Nothing if the commit may be written, else the error of the whole request. Group unknown (kind none) included.
[[nodiscard]] std::optional<refusal> check_commit(const streams_group& group, const commit_check& request);

/// Soft: counts a commit that was judged, for its member or, if it was refused, for the strangers of the group. Only a
/// streams group counts. Allocates nothing.
void note_commit(streams_group& group, std::string_view member_id, protocol::error_code verdict, std::int64_t now_ms);

/// Nothing if the fetch may be answered: spec 05, 4.3. `member_id` null and a negative epoch: no member check.
[[nodiscard]] std::optional<refusal> check_fetch(const streams_group& group, std::optional<std::string_view> member_id,
                                                 std::int32_t member_epoch);

}  // namespace weir::group
