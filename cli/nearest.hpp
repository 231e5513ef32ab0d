// What somebody probably meant who wrote a name that does not exist.
#pragma once

#include <string_view>
#include <vector>

namespace weir::cli {

/// The known name that is the same but for a few characters, or that ends with `.` and the name; empty if none is near
/// enough to be worth suggesting.
[[nodiscard]] std::string_view nearest(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace weir::cli
