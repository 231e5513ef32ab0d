#include "http/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace weir::http {
namespace {

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && stopped == text.data() + text.size() && port > 0;
}

result<void> check_characters(std::string_view text) {
  if (std::ranges::any_of(text, [](unsigned char c) { return c <= ' ' || c >= 0x7f; })) {
    return fail("the URL has characters that must be percent-encoded");
  }
  if (text.find('#') != std::string_view::npos) return fail("the URL must not have a '#'");
  return {};
}

/// host, host:port, or [address]:port.
result<void> read_place(std::string_view place, server_url& into) {
  if (place.find('@') != std::string_view::npos) return fail("a URL must not have a user or password in it");
  const auto colon = place.rfind(':');
  const bool has_port = colon != std::string_view::npos && !place.ends_with(']');
  auto host = has_port ? place.substr(0, colon) : place;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return fail("the URL has no host");
  into.host = host;
  into.port = has_port ? place.substr(colon + 1) : into.tls ? "443" : "80";
  if (!is_port(into.port)) return fail("the port of the URL must be a number from 1 to 65535");
  return {};
}

}  // namespace

std::string server_url::origin() const { return fmt::format("{}://{}", tls ? "https" : "http", authority()); }

std::string server_url::authority() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

result<server_url> parse_url(std::string_view text) {
  constexpr std::string_view plain = "http://";
  constexpr std::string_view secure = "https://";
  server_url out;
  out.tls = text.starts_with(secure);
  if (!out.tls && !text.starts_with(plain)) {
    return fail("the URL must begin with http:// or https://");
  }
  if (const auto whole = check_characters(text); !whole) return tl::unexpected(whole.error());
  const auto rest = text.substr(out.tls ? secure.size() : plain.size());
  const auto end = std::min(rest.find_first_of("/?"), rest.size());
  out.target = rest.substr(end);
  if (!out.target.starts_with('/')) out.target.insert(0, "/");
  const auto place = read_place(rest.substr(0, end), out);
  if (!place) return tl::unexpected(place.error());
  return out;
}

}  // namespace weir::http
