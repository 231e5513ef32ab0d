// The commands of `weir groups` that ask the admin API.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/exit_status.hpp"

namespace weir::cli {

/// list, describe, timeline, what-if, rehearse, set, defaults, rebalance, remove-member, drain, delete. `status` must
/// outlive the commands.
void add_group_commands(CLI::App& groups, exit_status& status);

}  // namespace weir::cli
