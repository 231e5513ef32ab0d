#include "http/auth.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "http/problem.hpp"

namespace weir::http {
namespace {

/// `localhost` or a literal address, with or without port. A page of a foreign site that had its name pointed at
/// 127.0.0.1 sends that name here.
bool host_is_local_or_address(std::string_view host) {
  if (host.starts_with('[')) return true;  // IPv6 literal
  host = host.substr(0, host.find(':'));
  const auto address_letter = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; };
  if (host.empty()) return false;
  return host == "localhost" || std::all_of(host.begin(), host.end(), address_letter);
}

tl::unexpected<response> unauthorised(std::string_view detail) {
  response refused = problem(401, detail);
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return tl::unexpected(std::move(refused));
}

}  // namespace

tl::expected<std::string, response> authorise(const request& asked, const write_access& access) {
  if (!access.tokens.empty()) {
    if (!asked.bearer) return unauthorised("changes need the header 'Authorization: Bearer <token>'");
    const named_token* found = nullptr;
    for (const auto& known : access.tokens) {  // all of them, whichever fits
      if (equal_in_constant_time(*asked.bearer, known.token)) found = &known;
    }
    if (found == nullptr) return unauthorised("the bearer token is not a configured one");
    return found->name;
  }
  if (!access.loopback_only) {
    return tl::unexpected(problem(403, "changes are switched off: set http.token_file, http.token or http.tokens, or "
                                       "bind http.listeners to 127.0.0.1"));
  }
  if (!host_is_local_or_address(asked.host)) {
    return tl::unexpected(
        problem(403, "changes without a token are only accepted under the name localhost or a literal address"));
  }
  return std::string();
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

}  // namespace weir::http
