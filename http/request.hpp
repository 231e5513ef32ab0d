// A request and its answer as resources see them: no sockets, no Beast. A handler may answer later and from any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace weir::http {

struct request {
  std::string method;                 ///< as sent: `GET`, `POST`, ...
  std::vector<std::string> segments;  ///< the path between slashes, each percent-decoded: `/v1/groups/a%2Fb` has 3
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in order; a name may repeat
  std::string host;                   ///< Host header, may be empty
  std::string content_type;           ///< may be empty
  std::string if_none_match;          ///< as sent; may be empty
  std::optional<std::string> bearer;  ///< token of `Authorization: Bearer`
  std::string body;

  /// First value of a query parameter; present but empty for `?verbose`.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> parameters(std::string_view name) const;
};

struct response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Called exactly once, on any thread.
using respond = std::function<void(response)>;
using handler = std::function<void(request, respond)>;

/// Splits and decodes a request target (`/v1/groups?state=Stable`) into segments and query. Error: not an absolute
/// path, or a percent sign without two hexadecimal digits.
[[nodiscard]] result<void> parse_target(std::string_view target, request& into);
/// So that text may stand as one path segment or query value.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace weir::http
