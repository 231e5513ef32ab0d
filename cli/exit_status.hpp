// How every command ends, and how it says why.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::cli {

/// Exit statuses of every command; docs/operations.md lists them.
enum exit_status : int {
  ended_well = 0,
  failed = 1,      ///< the reason is the last line on standard error
  wrong_input = 2  ///< command line or configuration; every mistake is on a line of its own
};

/// Says why on standard error, `weir: ` in front of each line, and returns the status.
exit_status report(const error& why, exit_status status = failed);

/// Prints it to standard output, or reports why there is nothing.
exit_status print(const result<std::string>& text);

}  // namespace weir::cli
