// `weir groups list` and `weir groups describe`: the admin API for people.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weir::cli {

struct groups_options {
  std::string url = "http://127.0.0.1:8080";
  bool json = false;   ///< the document as it came
  std::string state;   ///< list: only groups in this state
  std::string prefix;  ///< list: only groups whose id begins so
  std::string group;   ///< describe
};

/// What to print. Error: the server cannot be asked, or its problem document's detail.
[[nodiscard]] result<std::string> list_groups(const groups_options& options);
[[nodiscard]] result<std::string> describe_group(const groups_options& options);

}  // namespace weir::cli
