// A small blocking HTTP client, for the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::http {

struct client_request {
  std::string method = "GET";
  std::string target;                  ///< `/v1/groups`
  std::string body;                    ///< JSON; empty = none
  std::optional<std::string> token;    ///< for `Authorization: Bearer`
  std::optional<std::string> if_match;
};

struct client_answer {
  int status = 0;
  std::string body;
};

/// One request on a connection of its own. url: `http://host:port`. Error: the URL, the connection, or nothing that is
/// HTTP within timeout_ms.
[[nodiscard]] result<client_answer> send(std::string_view url, const client_request& asked,
                                         std::int64_t timeout_ms = 10'000);
/// A GET.
[[nodiscard]] result<client_answer> get(std::string_view url, std::string_view target,
                                        std::int64_t timeout_ms = 10'000);

}  // namespace weir::http
