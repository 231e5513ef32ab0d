// Transactional commits of a group: what an open transaction holds back and what its end writes (spec 04, 8.3, 13.3).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "group/outcome.hpp"
#include "group/streams_group.hpp"

namespace weir::group {

/// The producer of a transactional commit.
struct producer {
  std::int64_t id = -1;
  std::int16_t epoch = -1;
  std::int64_t deadline_ms = 0;  ///< of its transaction
};

/// One offset of a commit.
struct offset_entry {
  std::string topic;
  std::int32_t partition = 0;
  committed_offset value;
  bool is_stored = true;  ///< false: the caller refuses it unless the whole request is refused
};

/// TxnOffsetCommit after check_commit(): nothing is visible yet, but for the group, if there was none.
[[nodiscard]] change_outcome hold_back(const streams_group& group, const producer& by,
                                       std::vector<offset_entry> offsets);

/// The transaction ends: a commit writes what is pending and was not overtaken by later commits of the same partition,
/// an abort drops it. A producer that has nothing pending, or an older epoch than what is: an empty outcome.
[[nodiscard]] change_outcome end_transaction(const streams_group& group, std::int64_t producer_id,
                                             std::int16_t producer_epoch, bool commit);

/// Aborts every transaction whose time is over. Nothing due: an empty outcome.
[[nodiscard]] change_outcome expire_transactions(const streams_group& group, std::int64_t now_ms);

}  // namespace weir::group
