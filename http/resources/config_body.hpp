// Overrides of a group as a JSON object: {"streams.num.standby.replicas": 1, ...}.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "group/administer.hpp"
#include "http/json_value.hpp"
#include "http/request.hpp"

namespace weir::http {

/// Text, numbers and booleans are values; null drops the override. Whether the names exist is for the group to say.
/// Nothing: `problems` has a line for each mistake, with `path` in front.
[[nodiscard]] std::optional<group::config_change> read_config(const json_value& from, const std::string& path,
                                                              std::vector<std::string>& problems);

struct asked_config_change {
  group::config_change change;
  bool is_dry_run = false;
};

/// What PUT and PATCH ask for by their body, DELETE without one, on the condition of If-Match; or what it would do.
/// Error: every mistake.
[[nodiscard]] result<asked_config_change> read_config_change(const request& asked);

/// The settings as an object, and the ETag that stands for them.
[[nodiscard]] boost::json::object overrides_document(const group::overrides& own);
[[nodiscard]] std::string config_etag(const group::overrides& own);

}  // namespace weir::http
