// Overrides of a group as a JSON object: {"streams.num.standby.replicas": 1, ...}.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "group/administer.hpp"
#include "http/json_value.hpp"

namespace weir::http {

/// Text, numbers and booleans are values; null drops the override. Whether the names exist is for the group to say.
/// Nothing: `problems` has a line for each mistake, with `path` in front.
[[nodiscard]] std::optional<group::config_change> read_config(const json_value& from, const std::string& path,
                                                              std::vector<std::string>& problems);

}  // namespace weir::http
