// read_file: a small file named by the user, whole.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::cli {

/// Error: "cannot read 'PATH': why", also for a folder.
[[nodiscard]] result<std::string> read_file(const std::string& path);

}  // namespace weir::cli
