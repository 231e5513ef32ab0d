// Who may write: whoever has the token; without a token, anybody on this machine (and no web page that runs there).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"

namespace weir::http {

struct write_access {
  std::string token;           ///< empty = none is configured
  bool loopback_only = false;  ///< every listener is bound to a loopback address
};

/// Why this request may not change anything, as the answer to send; nothing if it may.
[[nodiscard]] std::optional<response> refuse_write(const request& asked, const write_access& access);

/// Takes as long for every text of one length, so that time does not tell how much of a guess was right.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace weir::http
