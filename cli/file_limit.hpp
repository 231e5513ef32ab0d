// How many connections the process may hold, given the file descriptors it may have: each is one, and what must always
// work (the log, HTTP probes) needs some too.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/settings.hpp"

namespace weir::cli {

/// Raises the limit of file descriptors (soft limits are often 1024) as far as it may be raised; returns what it is
/// then.
std::size_t raise_file_limit();

/// Lowers the limits of connections so that all of them together fit, with descriptors left over. Returns what was
/// lowered and what to do, in words; nothing if all fits. Error: too few to be of use, and what to do.
[[nodiscard]] result<std::optional<std::string>> fit_to_files(settings& made, std::size_t files);

}  // namespace weir::cli
