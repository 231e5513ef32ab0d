#include "http/problem.hpp"

#include <boost/beast/http/status.hpp>

#include "http/json_writer.hpp"

namespace weir::http {
namespace {

response document(int status, std::string_view detail, std::string_view kafka_error, int error_code) {
  const auto known = boost::beast::http::int_to_status(static_cast<unsigned>(status));
  const auto title = boost::beast::http::obsolete_reason(known);
  boost::json::object body;
  body["type"] = "about:blank";
  body["title"] = std::string_view(title.data(), title.size());
  body["status"] = status;
  body["detail"] = detail;
  if (!kafka_error.empty()) {
    body["kafka_error"] = kafka_error;
    body["kafka_code"] = error_code;
  }
  body["error_code"] = error_code;
  body["message"] = detail;
  response out = json_response(body, status);
  out.content_type = "application/problem+json";
  if (status == 503) out.headers.emplace_back("Retry-After", "1");
  return out;
}

}  // namespace

response problem(int status, std::string_view detail) { return document(status, detail, {}, status); }

response problem(int status, std::string_view detail, protocol::error_code error) {
  return document(status, detail, protocol::name(error), protocol::code_of(error));
}

int status_of(protocol::error_code error) noexcept {
  using protocol::error_code;
  switch (error) {
    case error_code::group_id_not_found:
    case error_code::unknown_topic_or_partition: return 404;
    case error_code::topic_already_exists:
    case error_code::non_empty_group: return 409;
    case error_code::unknown_server_error: return 500;
    case error_code::group_authorization_failed:
    case error_code::topic_authorization_failed: return 403;
    default: return protocol::retriable(error) ? 503 : 400;
  }
}

}  // namespace weir::http
