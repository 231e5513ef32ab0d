// `weir groups rehearse`: what becomes of an application that moves from the classic protocol, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/admin_client.hpp"

namespace weir::cli {

struct rehearse_options : admin_options {
  std::string group;
  std::string topology;             ///< file, as `weir simulate --topology` reads it
  std::int32_t processes = 1;
  std::int32_t threads = 1;
  std::string client_file;          ///< the application's settings, lines of name=value
  std::vector<std::string> client;  ///< the same, one by one
  std::vector<std::string> values;  ///< settings of the group to be made before, name=value
};

/// What to print. Errors as fetch(), or a file or text that cannot be read.
[[nodiscard]] result<std::string> rehearse_group(const rehearse_options& options);

/// `name=value` for each line of a properties file, `name=value` or `name: value`; blank lines and those that begin
/// with `#` or `!` do not count. Error: a line that is neither.
[[nodiscard]] result<std::vector<std::string>> read_properties(std::string_view text);
/// The answer as tables.
[[nodiscard]] std::string rehearsal_text(const http::json_value& document);

}  // namespace weir::cli
