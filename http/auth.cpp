#include "http/auth.hpp"

#include <algorithm>
#include <cctype>

#include "http/problem.hpp"

namespace weir::http {
namespace {

/// `localhost` or a literal address, with or without port. A page of a foreign site that had its name pointed at
/// 127.0.0.1 sends that name here.
bool host_is_local_or_address(std::string_view host) {
  if (host.starts_with('[')) return true;  // IPv6 literal
  host = host.substr(0, host.find(':'));
  const auto address_letter = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; };
  return host == "localhost" || std::all_of(host.begin(), host.end(), address_letter);
}

response unauthorised(std::string_view detail) {
  response refused = problem(401, detail);
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

}  // namespace

std::optional<response> refuse_write(const request& asked, const write_access& access) {
  if (!access.token.empty()) {
    if (!asked.bearer) return unauthorised("changes need the header 'Authorization: Bearer <http.token>'");
    if (!equal_in_constant_time(*asked.bearer, access.token)) {
      return unauthorised("the bearer token is not the configured one");
    }
    return std::nullopt;
  }
  if (!access.loopback_only) {
    return problem(403,
                   "changes are switched off: set http.token_file or http.token, or bind http.listeners to 127.0.0.1");
  }
  if (!host_is_local_or_address(asked.host)) {
    return problem(403, "changes without a token are only accepted under the name localhost or a literal address");
  }
  return std::nullopt;
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
