// A small blocking HTTP client, for the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::http {

struct client_answer {
  int status = 0;
  std::string body;
};

/// One GET on a connection of its own. url: `http://host:port`; target: `/v1/groups`. Error: the URL, the connection,
/// or nothing that is HTTP within timeout_ms.
[[nodiscard]] result<client_answer> get(std::string_view url, std::string_view target,
                                        std::int64_t timeout_ms = 10'000);

}  // namespace weir::http
