// `weir groups set`, `defaults`, `rebalance`, `remove-member`, `drain`, `delete`: changes by the admin API, for people.
#pragma once

#include <string>
#include <vector>

#include "cli/admin_client.hpp"

namespace weir::cli {

struct change_options : admin_options {
  std::string group;
  bool dry_run = false;             ///< print the plan instead
  std::vector<std::string> values;  ///< set: name=value
  std::vector<std::string> unset;   ///< set: names whose overrides go
  bool replace = false;             ///< set: all other overrides go
  std::string member;               ///< remove-member: member id, or instance id
  std::string process;              ///< drain
  bool undo = false;                ///< drain: give the process tasks again
};

// What to print. Errors as fetch(), or a value that is not name=value.
[[nodiscard]] result<std::string> set_config(const change_options& options);
/// The defaults of all groups; with values, names to unset or `replace` they are changed first.
[[nodiscard]] result<std::string> set_defaults(const change_options& options);
[[nodiscard]] result<std::string> rebalance_group(const change_options& options);
[[nodiscard]] result<std::string> remove_member(const change_options& options);
[[nodiscard]] result<std::string> drain_process(const change_options& options);
[[nodiscard]] result<std::string> delete_group(const change_options& options);

/// For people: the settings, whose assignment follows, who changed what.
[[nodiscard]] std::string defaults_text(const http::json_value& document, bool dry_run);

/// The body of `set` and `defaults`: {"name":"value","other":null}.
[[nodiscard]] result<std::string> config_body(const change_options& options);

}  // namespace weir::cli
