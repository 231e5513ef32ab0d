// `weir groups list` and `weir groups describe`: the admin API for people.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/admin_client.hpp"

namespace weir::cli {

struct groups_options : admin_options {
  std::string state;   ///< list: only groups in this state
  std::string prefix;  ///< list: only groups whose id begins so
  std::string group;   ///< describe
};

/// What to print. Error: the server cannot be asked, or its problem document's detail.
[[nodiscard]] result<std::string> list_groups(const groups_options& options);
[[nodiscard]] result<std::string> describe_group(const groups_options& options);

}  // namespace weir::cli
