// `weir serve`: configuration, start, the wait for a signal, a clean stop.
#pragma once

#include "cli/config.hpp"
#include "cli/exit_status.hpp"

namespace weir::cli {

/// Runs until SIGINT or SIGTERM; a second signal ends the process at once.
[[nodiscard]] exit_status serve(const config_sources& from);

}  // namespace weir::cli
