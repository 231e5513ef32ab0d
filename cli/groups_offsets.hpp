// `weir groups offsets`: how far a group has read its topics.
#pragma once

#include <string>

#include "cli/admin_client.hpp"

namespace weir::cli {

struct offsets_options : admin_options {
  std::string group;
  std::string topic;     ///< only this one; empty: all
  bool summary = false;  ///< only the sums
};

/// What to print, from as many pages as it takes. Errors as fetch().
[[nodiscard]] result<std::string> show_offsets(const offsets_options& options);

/// The document as tables: partitions, unless only the sums are wanted, and sums.
[[nodiscard]] std::string offsets_text(const http::json_value& document, bool summary);

}  // namespace weir::cli
