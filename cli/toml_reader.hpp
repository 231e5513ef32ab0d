// TOML files as the same tree that JSON bodies become, with line numbers. The only place that knows toml++.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "http/json_value.hpp"

namespace weir::cli {

/// Error: `line 3: what is wrong`. Dates and times are not accepted; no key of Weir has one.
[[nodiscard]] result<http::json_value> read_toml(std::string_view text);

}  // namespace weir::cli
