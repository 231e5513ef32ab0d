// Who may write: whoever has the token; without a token, anybody on this machine (and no web page that runs there).
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "http/request.hpp"

namespace weir::http {

/// A bearer token, and the name under which the timeline shows what was done with it.
struct named_token {
  std::string name;
  std::string token;
};

struct write_access {
  std::vector<named_token> tokens;  ///< empty = none is configured
  bool loopback_only = false;       ///< every listener is bound to a loopback address
};

/// The name of whoever may change something with this request, empty without tokens; or the answer that refuses it.
[[nodiscard]] tl::expected<std::string, response> authorise(const request& asked, const write_access& access);

/// Takes as long for every text of one length, so that time does not tell how much of a guess was right.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace weir::http
