// What must hold of every group after every record, live and in replay. Checked by tests and simulations.
#pragma once

#include <string>
#include <vector>

#include "group/streams_group.hpp"

namespace weir::group {

/// One line per violation; empty if all is well. O(tasks of all members). Only groups made by this program's own
/// decisions are promised to pass: a foreign log may hold anything. `is_whole` is false between two records of one
/// decision: the validated topology epoch may then be that of the topology before (spec 01, 11.3).
[[nodiscard]] std::vector<std::string> check_invariants(const streams_group& group, bool is_whole = true);

}  // namespace weir::group
