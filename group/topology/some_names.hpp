// How a list of topics appears in a status detail.
#pragma once

#include <string>
#include <vector>

namespace weir::group {

/// "a, b, c and 2 more": at most three, in the order given.
[[nodiscard]] std::string some_names(const std::vector<std::string>& names);

}  // namespace weir::group
