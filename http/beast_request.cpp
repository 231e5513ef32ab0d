#include "http/beast_request.hpp"

#include <utility>

#include "http/problem.hpp"

namespace weir::http {

namespace {

namespace beast = boost::beast;

}  // namespace

result<request> to_request(beast_request&& from) {
  request out;
  out.method = text_of(from.method_string());
  out.host = text_of(from[beast::http::field::host]);
  out.content_type = text_of(from[beast::http::field::content_type]);
  out.if_none_match = text_of(from[beast::http::field::if_none_match]);
  const std::string authorization = text_of(from[beast::http::field::authorization]);
  static constexpr std::string_view scheme = "Bearer ";
  if (authorization.starts_with(scheme)) out.bearer = authorization.substr(scheme.size());
  if (from.count("Last-Event-ID") > 0) out.last_event_id = text_of(from["Last-Event-ID"]);
  if (const auto tag = from.find(beast::http::field::if_match); tag != from.end()) out.if_match = text_of(tag->value());
  const auto parsed = parse_target(text_of(from.target()), out);
  if (!parsed) return tl::unexpected(parsed.error());
  out.body = std::move(from.body());
  return out;
}

std::optional<response> refuse_header(const beast_request& header) {
  const auto hosts = header.count(beast::http::field::host);
  if (header.version() >= 11 && hosts != 1) {
    return problem(400, hosts == 0 ? "an HTTP/1.1 request must have a Host header" : "there is more than one Host");
  }
  const auto expected = header[beast::http::field::expect];
  if (!expected.empty() && !beast::iequals(expected, "100-continue")) {
    return problem(417, "the only expectation that can be met is 100-continue");
  }
  return std::nullopt;
}

}  // namespace weir::http
