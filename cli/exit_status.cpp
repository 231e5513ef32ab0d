#include "cli/exit_status.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

namespace weir::cli {

exit_status report(const error& why, exit_status status) {
  std::string_view rest = why.message;
  for (;;) {
    const auto end = rest.find('\n');
    fmt::print(stderr, "weir: {}\n", rest.substr(0, end));
    if (end == std::string_view::npos) return status;
    rest.remove_prefix(end + 1);
  }
}

exit_status print(const result<std::string>& text) {
  if (!text) return report(text.error());
  std::fwrite(text->data(), 1, text->size(), stdout);
  return ended_well;
}

}  // namespace weir::cli
