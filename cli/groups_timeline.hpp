// `weir groups timeline`: why a group was rebalanced, newest first, for people.
#pragma once

#include <cstdint>
#include <string>

#include "cli/admin_client.hpp"

namespace weir::cli {

struct timeline_options : admin_options {
  std::string group;
  std::string cause;        ///< only events of this cause; empty: all
  std::int64_t limit = 50;  ///< how many events, at least 1
  bool moves = false;       ///< also which tasks moved
};

/// What to print: the newest events, from as many pages as it takes. Errors as fetch().
[[nodiscard]] result<std::string> show_timeline(const timeline_options& options);

/// One event, in a few lines: when, why, who, what it changed, how long it took.
[[nodiscard]] std::string event_text(const http::json_value& event, bool moves);

}  // namespace weir::cli
