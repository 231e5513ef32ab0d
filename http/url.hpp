// Where an HTTP server is.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::http {

struct server_url {
  bool tls = false;
  std::string host;    ///< a name or an address, IPv6 without brackets
  std::string port;
  std::string target;  ///< path and query, at least `/`

  /// `https://host:port`, for people.
  [[nodiscard]] std::string origin() const;
  /// host:port as the Host header has it.
  [[nodiscard]] std::string authority() const;
};

/// `http://host[:port][/path][?query]`, or https://. Error: what it lacks, or has and must not (a user, a fragment,
/// blanks, control characters). It shows nothing of the URL, which may be a secret.
[[nodiscard]] result<server_url> parse_url(std::string_view text);

}  // namespace weir::http
