#include "http/beast_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "http/problem.hpp"

namespace weir::http {

namespace {

namespace beast = boost::beast;
using header_field = beast::http::field;

/// What follows the scheme `Bearer`, in any letter case (RFC 9110, 11.1).
std::optional<std::string> bearer_of(std::string_view authorization) {
  static constexpr std::string_view scheme = "bearer ";
  if (!beast::iequals(authorization.substr(0, scheme.size()), scheme)) return std::nullopt;
  authorization.remove_prefix(scheme.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return std::string(authorization);
}

std::optional<response> refuse_host(const beast_request& header) {
  const auto hosts = header.count(header_field::host);
  if (hosts > 1) return problem(400, "there is more than one Host");
  if (hosts == 0 && header.version() >= 11) return problem(400, "an HTTP/1.1 request must have a Host header");
  if (hosts == 1 && header[header_field::host].empty()) return problem(400, "the Host header is empty");
  return std::nullopt;
}

/// Of two that differ, somebody on the way may have read the other one.
std::optional<response> refuse_repeated(const beast_request& header) {
  for (const auto single : {header_field::authorization, header_field::content_type, header_field::if_match}) {
    if (header.count(single) > 1) {
      return problem(400, fmt::format("there is more than one {}", text_of(beast::http::to_string(single))));
    }
  }
  return std::nullopt;
}

/// Whatever a proxy in front could understand in another way as the end of the request (RFC 9112, 6.1 and 6.3).
std::optional<response> refuse_framing(const beast_request& header) {
  const auto codings = header.count(header_field::transfer_encoding);
  if (codings == 0) return std::nullopt;
  if (header.version() < 11) return problem(400, "an HTTP/1.0 request cannot have a Transfer-Encoding");
  if (header.count(header_field::content_length) > 0) {
    return problem(400, "there is a Content-Length beside Transfer-Encoding");
  }
  if (codings > 1) return problem(400, "there is more than one Transfer-Encoding");
  if (!beast::iequals(header[header_field::transfer_encoding], "chunked")) {
    return problem(501, "the only Transfer-Encoding that is understood is chunked");
  }
  return std::nullopt;
}

}  // namespace

result<request> to_request(beast_request&& from) {
  request out;
  out.method = text_of(from.method_string());
  out.host = text_of(from[header_field::host]);
  out.content_type = text_of(from[header_field::content_type]);
  out.if_none_match = text_of(from[header_field::if_none_match]);
  out.bearer = bearer_of(text_of(from[header_field::authorization]));
  if (from.count("Last-Event-ID") > 0) out.last_event_id = text_of(from["Last-Event-ID"]);
  if (const auto tag = from.find(header_field::if_match); tag != from.end()) out.if_match = text_of(tag->value());
  const auto parsed = parse_target(text_of(from.target()), out);
  if (!parsed) return tl::unexpected(parsed.error());
  out.body = std::move(from.body());
  return out;
}

std::optional<response> refuse_header(const beast_request& header) {
  if (auto refused = refuse_framing(header)) return refused;
  if (auto refused = refuse_host(header)) return refused;
  if (auto refused = refuse_repeated(header)) return refused;
  const auto expected = header[header_field::expect];
  if (!expected.empty() && !beast::iequals(expected, "100-continue")) {
    return problem(417, "the only expectation that can be met is 100-continue");
  }
  if (header.count(header_field::content_encoding) > 0) return problem(415, "a body must not have a Content-Encoding");
  return std::nullopt;
}

}  // namespace weir::http
