#include "http/client.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "http/connection_stream.hpp"
#include "http/url.hpp"

namespace weir::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
namespace ssl = boost::asio::ssl;

using tls_context = std::shared_ptr<ssl::context>;

wire::request<wire::string_body> wire_request(const server_url& to, const client_request& asked) {
  wire::request<wire::string_body> out;
  out.method_string(asked.method);
  out.target(asked.target);
  out.set(wire::field::host, to.authority());
  out.keep_alive(false);
  if (asked.token) out.set(wire::field::authorization, "Bearer " + *asked.token);
  if (asked.if_match) out.set(wire::field::if_match, *asked.if_match);
  if (!asked.body.empty()) out.set(wire::field::content_type, "application/json");
  for (const auto& [name, value] : asked.headers) out.set(name, value);
  out.body() = asked.body;
  out.prepare_payload();
  return out;
}

/// Resolve, connect, shake hands, write, read: each step starts the next, the first error ends it.
class exchange {
 public:
  exchange(server_url to, const client_request& asked, const client_options& options, tls_context tls)
      : to_(std::move(to)),
        options_(options),
        stream_(asio::ip::tcp::socket(io_), std::move(tls)),
        deadline_(io_),
        request_(wire_request(to_, asked)) {}

  result<client_answer> run() {
    const auto found = asio::ip::tcp::resolver(io_).resolve(to_.host, to_.port, error_);
    if (error_) return failed();
    limit_time();
    stream_.transport().async_connect(found, [this](beast::error_code e, const auto&) { shake_hands(e); });
    {
      const std::stop_callback stopping(options_.stop, [this] { asio::post(io_, [this] { stream_.close(); }); });
      io_.run();
    }
    if (error_) return failed();
    return client_answer{static_cast<int>(parser_->get().result_int()), std::move(parser_->get().body())};
  }

 private:
  /// Of the whole exchange: the stream's own limit does not end one whose next bytes are always there already.
  void limit_time() {
    deadline_.expires_after(std::chrono::milliseconds(options_.timeout_ms));
    deadline_.async_wait([this](beast::error_code cancelled) {
      if (cancelled) return;
      is_late_ = true;
      stream_.close();
    });
  }

  /// False: that was the end.
  bool go_on(beast::error_code error) {
    error_ = error;
    if (error) deadline_.cancel();
    return !error;
  }

  void shake_hands(beast::error_code error) {
    if (!go_on(error)) return;
    step_ = step::handshake;
    stream_.handshake_with(to_.host, [this](beast::error_code e) { write(e); });
  }

  void write(beast::error_code error) {
    if (!go_on(error)) return;
    step_ = step::exchange;
    wire::async_write(stream_, request_, [this](beast::error_code e, std::size_t) { read(e); });
  }

  void read(beast::error_code error) {
    if (!go_on(error)) return;
    parser_.emplace();
    parser_->body_limit(options_.answer_bytes_max);
    wire::async_read(stream_, buffer_, *parser_, [this](beast::error_code e, std::size_t) { take(e); });
  }

  /// An interim answer, as 100 Continue, has the real one behind it (RFC 9110, 15.2).
  void take(beast::error_code error) {
    if (!go_on(error)) return;
    const auto status = parser_->get().result_int();
    if (status >= 100 && status < 200) return read({});
    deadline_.cancel();
  }

  [[nodiscard]] tl::unexpected<error> failed() {
    return fail(fmt::format("cannot ask {}: {}", to_.origin(), options_.stop.stop_requested() ? "stopping" : reason()));
  }

  [[nodiscard]] std::string reason() {
    if (is_late_) return fmt::format("no answer within {} ms", options_.timeout_ms);
    return error_ == wire::error::body_limit
               ? fmt::format("its answer has more than {} bytes", options_.answer_bytes_max)
               : what_happened();
  }

  [[nodiscard]] std::string what_happened() {
    const bool ended = error_ == asio::error::eof || error_ == wire::error::end_of_stream ||
                       error_ == ssl::error::stream_truncated || error_ == asio::error::connection_reset;
    if (step_ == step::handshake) {
      if (const auto verdict = stream_.verify_result(); verdict != X509_V_OK) {
        return fmt::format("its certificate is not accepted: {}", X509_verify_cert_error_string(verdict));
      }
      const bool is_foreign = error_.category() == asio::error::get_ssl_category() &&
                              ERR_GET_REASON(static_cast<unsigned long>(error_.value())) == SSL_R_WRONG_VERSION_NUMBER;
      if (is_foreign || ended) return "it does not speak TLS (should the URL begin with http://?)";
    } else if (step_ == step::exchange && !to_.tls) {
      const bool is_foreign = error_.category() == make_error_code(wire::error::bad_version).category();
      if (is_foreign || ended) return "its answer is no HTTP (should the URL begin with https://?)";
    }
    return error_.message();
  }

  enum class step { connect, handshake, exchange };

  server_url to_;
  const client_options& options_;
  asio::io_context io_;
  connection_stream stream_;
  asio::steady_timer deadline_;
  bool is_late_ = false;
  step step_ = step::connect;
  beast::flat_buffer buffer_;
  wire::request<wire::string_body> request_;
  std::optional<wire::response_parser<wire::string_body>> parser_;
  beast::error_code error_;
};

}  // namespace

result<tls_context> make_client_tls(const std::string& ca_file) {
  auto made = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(made->native_handle(), TLS1_2_VERSION);
  made->set_verify_mode(ssl::verify_peer);
  boost::system::error_code error;
  if (ca_file.empty()) {
    made->set_default_verify_paths(error);
  } else {
    made->load_verify_file(ca_file, error);
  }
  if (error) return fail(fmt::format("cannot use '{}' as certificates to trust: {}", ca_file, error.message()));
  return made;
}

result<client_answer> send(std::string_view url, const client_request& asked, const client_options& options) {
  auto to = parse_url(url);
  if (!to) return tl::unexpected(to.error());
  auto tls = options.tls;
  if (!to->tls) {
    tls = nullptr;
  } else if (tls == nullptr) {
    auto made = make_client_tls({});
    if (!made) return tl::unexpected(made.error());
    tls = *std::move(made);
  }
  return exchange(*std::move(to), asked, options, std::move(tls)).run();
}

result<client_answer> get(std::string_view url, std::string_view target, const client_options& options) {
  return send(url, {.method = "GET", .target = std::string(target), .body = {}, .token = {}, .if_match = {}}, options);
}

}  // namespace weir::http
