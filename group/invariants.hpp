// What must hold of every group after every record, live and in replay. Checked by tests and simulations.
#pragma once

#include <string>
#include <vector>

#include "group/streams_group.hpp"

namespace weir::group {

/// One line per violation; empty if all is well. O(tasks of all members). Only groups made by this program's own
/// decisions are promised to pass: a foreign log may hold anything.
[[nodiscard]] std::vector<std::string> check_invariants(const streams_group& group);

}  // namespace weir::group
