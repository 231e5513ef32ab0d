#include "http/client.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

namespace weir::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

struct place {
  std::string host;
  std::string port;
};

result<place> parse_url(std::string_view url) {
  static constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) return fail(fmt::format("the URL must begin with http://, not '{}'", url));
  std::string_view rest = url.substr(scheme.size());
  rest = rest.substr(0, rest.find('/'));
  const auto colon = rest.rfind(':');
  const bool has_port = colon != std::string_view::npos && !rest.ends_with(']');
  std::string_view host = has_port ? rest.substr(0, colon) : rest;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return fail(fmt::format("there is no host in '{}'", url));
  return place{std::string(host), std::string(has_port ? rest.substr(colon + 1) : "80")};
}

/// Resolve, connect, write, read: each step starts the next, the first error ends it.
class exchange {
 public:
  exchange(place to, const client_request& asked, std::int64_t timeout_ms)
      : to_(std::move(to)), timeout_ms_(timeout_ms) {
    request_.method_string(asked.method);
    request_.target(asked.target);
    request_.set(wire::field::host, to_.host + ":" + to_.port);
    request_.keep_alive(false);
    if (asked.token) request_.set(wire::field::authorization, "Bearer " + *asked.token);
    if (asked.if_match) request_.set(wire::field::if_match, *asked.if_match);
    if (!asked.body.empty()) request_.set(wire::field::content_type, "application/json");
    request_.body() = asked.body;
    request_.prepare_payload();
    parser_.body_limit(boost::none);
  }

  result<client_answer> run() {
    beast::error_code error;
    const auto found = asio::ip::tcp::resolver(io_).resolve(to_.host, to_.port, error);
    if (error) return failed(error);
    stream_.expires_after(std::chrono::milliseconds(timeout_ms_));
    stream_.async_connect(found, [this](beast::error_code e, const asio::ip::tcp::endpoint&) { write(e); });
    io_.run();
    if (error_) return failed(error_);
    return client_answer{static_cast<int>(parser_.get().result_int()), parser_.get().body()};
  }

 private:
  void write(beast::error_code error) {
    error_ = error;
    if (error_) return;
    wire::async_write(stream_, request_, [this](beast::error_code e, std::size_t) { read(e); });
  }

  void read(beast::error_code error) {
    error_ = error;
    if (error_) return;
    wire::async_read(stream_, buffer_, parser_, [this](beast::error_code e, std::size_t) { error_ = e; });
  }

  [[nodiscard]] tl::unexpected<error> failed(const beast::error_code& why) const {
    return fail(fmt::format("cannot ask http://{}:{}: {}", to_.host, to_.port, why.message()));
  }

  place to_;
  std::int64_t timeout_ms_;
  asio::io_context io_;
  beast::tcp_stream stream_{io_};
  beast::flat_buffer buffer_;
  wire::request<wire::string_body> request_;
  wire::response_parser<wire::string_body> parser_;
  beast::error_code error_;
};

}  // namespace

result<client_answer> send(std::string_view url, const client_request& asked, std::int64_t timeout_ms) {
  const auto to = parse_url(url);
  if (!to) return tl::unexpected(to.error());
  return exchange(*to, asked, timeout_ms).run();
}

result<client_answer> get(std::string_view url, std::string_view target, std::int64_t timeout_ms) {
  return send(url, {.method = "GET", .target = std::string(target), .body = {}, .token = {}, .if_match = {}},
              timeout_ms);
}

}  // namespace weir::http
