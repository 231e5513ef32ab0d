// A text in JSON, for those who write it themselves: log lines and records.
#pragma once

#include <string>
#include <string_view>

namespace weir {

/// Appends the text in quotes, with quotes, backslashes and control characters escaped. It must be UTF-8 to be JSON.
void append_json_string(std::string& out, std::string_view value);

}  // namespace weir
