// `weir groups what-if`: what would happen, for people. The same plan is what every --dry-run prints.
#pragma once

#include <string>
#include <vector>

#include "cli/admin_client.hpp"

namespace weir::cli {

struct what_if_options : admin_options {
  std::string group;
  std::string assignor;                       ///< empty: the group's
  std::vector<std::string> values;            ///< settings, name=value
  std::vector<std::string> added;             ///< PROCESS or PROCESS=MEMBERS
  std::vector<std::string> removed_members;
  std::vector<std::string> removed_processes;
  std::vector<std::string> drained_processes;
  std::vector<std::string> partitions;        ///< TOPIC=COUNT
};

/// What to print. Errors as fetch(), or text that is not of the form that the option has.
[[nodiscard]] result<std::string> what_if_group(const what_if_options& options);

/// The question as the body of a request.
[[nodiscard]] result<std::string> what_if_body(const what_if_options& options);
/// The plan as tables: what moves, figures before and after, warnings.
[[nodiscard]] std::string plan_text(const http::json_value& plan);

}  // namespace weir::cli
