// Groups for measuring assignors: the inputs that the reference's figures were measured with.
#pragma once

#include <cstdint>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor::bench {

/// Counts; every second subtopology is stateful.
struct scenario_size {
  std::int64_t members = 0;
  std::int64_t partitions = 0;  ///< of each subtopology
  std::int64_t subtopologies = 0;
  std::int64_t members_per_process = 1;
  std::int64_t standbys = 0;
};

/// So many members of a group of that size; nobody holds anything.
[[nodiscard]] test::owned_group make_group(const scenario_size& size, std::int64_t members);
/// All members but one hold the assignor's result for them; the last one, of a process of its own, is new.
[[nodiscard]] test::owned_group make_grown_group(const scenario_size& size, const assignor& assignor);
/// For replica 0 and 1 of the t-th stateful task, the old member at index t + replica reports
/// (2 - replica) * 1,000,000 + t.
void report_offsets(test::owned_group& group);

}  // namespace weir::assignor::bench
