// What a group that is imported must fulfil: no coordinator, Kafka's or Weir's, leaves records that say otherwise, or
// Weir could not go on with them. Asked before anything is written.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/group_fold.hpp"

namespace weir::cli {

/// Replays the group's records as a start would. Error: `group 'g', record of type 22, member 'm': ...`, the first rule
/// that is broken. Otherwise what a start will repair (spec 04, 8.5), a line each. A group in the middle of a rebalance
/// breaks none; how many partitions topics have is not known here, so tasks are held against the topology's
/// subtopologies alone.
[[nodiscard]] result<std::vector<std::string>> check_rules(const storage::folded_group& imported);

}  // namespace weir::cli
