#include "http/session.hpp"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <new>
#include <optional>

#include "base/metrics.hpp"
#include "http/connection_stream.hpp"
#include "http/gzip.hpp"
#include "http/problem.hpp"

namespace weir::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

constexpr std::string_view fault_line = "a fault while an HTTP request was handled";

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

result<request> to_request(wire::request<wire::string_body>&& from) {
  request out;
  out.method = text_of(from.method_string());
  out.host = text_of(from[wire::field::host]);
  out.content_type = text_of(from[wire::field::content_type]);
  out.if_none_match = text_of(from[wire::field::if_none_match]);
  const std::string authorization = text_of(from[wire::field::authorization]);
  static constexpr std::string_view scheme = "Bearer ";
  if (authorization.starts_with(scheme)) out.bearer = authorization.substr(scheme.size());
  const auto parsed = parse_target(text_of(from.target()), out);
  if (!parsed) return tl::unexpected(parsed.error());
  out.body = std::move(from.body());
  return out;
}

/// What is wrong with a header, before any of the body is read; nothing if the rest may come.
std::optional<response> refuse_header(const wire::request<wire::string_body>& header) {
  const auto hosts = header.count(wire::field::host);
  if (header.version() >= 11 && hosts != 1) {
    return problem(400, hosts == 0 ? "an HTTP/1.1 request must have a Host header" : "there is more than one Host");
  }
  const auto expected = header[wire::field::expect];
  if (!expected.empty() && !beast::iequals(expected, "100-continue")) {
    return problem(417, "the only expectation that can be met is 100-continue");
  }
  return std::nullopt;
}

class beast_session final : public session, public std::enable_shared_from_this<beast_session> {
  using time_point = std::chrono::steady_clock::time_point;

 public:
  beast_session(asio::ip::tcp::socket socket, std::shared_ptr<session_context> context,
                std::shared_ptr<asio::ssl::context> tls)
      : context_(std::move(context)), stream_(std::move(socket), std::move(tls)), late_(context_->io) {}

  void start() override {
    waiting_since_ = std::chrono::steady_clock::now();
    limit_time();
    stream_.handshake([self = shared_from_this()](beast::error_code error) { error ? self->close() : self->read(); });
  }

  [[nodiscard]] std::optional<time_point> waiting_since() const override { return waiting_since_; }

  void close() override {
    late_.cancel();
    beast::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    stream_.close();
  }

 private:
  void limit_time() { stream_.expires_after(std::chrono::milliseconds(context_->options.idle_timeout_ms)); }

  /// One deadline for the whole message: a client that sends a byte now and then does not get more time.
  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(context_->options.header_bytes_max));
    parser_->body_limit(context_->options.body_bytes_max);
    waiting_since_ = std::chrono::steady_clock::now();
    limit_time();
    wire::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_header(error); });
  }

  void on_header(beast::error_code error) {
    if (error) return fail_to_read(error);
    const auto& header = parser_->get();
    if (auto refused = refuse_header(header)) return refuse(*std::move(refused));
    if (parser_->is_done()) return handle(parser_->release());  // no body
    const bool expects = header.version() >= 11 && header.count(wire::field::expect) > 0;
    if (expects && buffer_.size() == 0) return ask_for_body();
    read_body();
  }

  /// The client holds the body back until it is asked for it (RFC 9110, 10.1.1).
  void ask_for_body() {
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(go_on.data(), go_on.size()),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        error ? self->close() : self->read_body();
                      });
  }

  void read_body() {
    wire::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      error ? self->fail_to_read(error) : self->handle(self->parser_->release());
    });
  }

  void fail_to_read(beast::error_code error) {
    if (error == wire::error::header_limit) return refuse(problem(431, "the header is larger than Weir accepts"));
    if (error == wire::error::body_limit) return refuse(problem(413, "the body is larger than Weir accepts"));
    if (error.category() == wire::make_error_code(wire::error::bad_method).category() &&
        error != wire::error::end_of_stream && error != wire::error::partial_message) {
      return refuse(problem(400, fmt::format("not a valid HTTP request: {}", error.message())));
    }
    close();
  }

  void handle(wire::request<wire::string_body> message) {
    keep_alive_ = message.keep_alive();
    head_ = message.method() == wire::verb::head;
    gzip_ = accepts_gzip(text_of(message[wire::field::accept_encoding]));
    auto asked = to_request(std::move(message));
    if (!asked) return write(problem(400, asked.error().message));
    stream_.expires_never();  // the client is not late now
    waiting_since_.reset();
    const auto number = ++unanswered_;
    late_.expires_after(std::chrono::milliseconds(context_->options.answer_timeout_ms));
    late_.async_wait([self = shared_from_this(), number](beast::error_code cancelled) {
      if (cancelled || number != self->unanswered_) return;
      self->keep_alive_ = false;  // one late handler for each connection is enough
      self->answer(number, problem(503, "the answer takes too long; a change may still be made"));
    });
    try {
      context_->handle(*std::move(asked), [self = shared_from_this(), number](response out) {
        if (self->context_->stopped) return;
        asio::post(self->context_->io,
                   [self, number, out = std::move(out)]() mutable { self->answer(number, std::move(out)); });
      });
    } catch (const std::bad_alloc&) {
      context_->faults.write(log::level::error, fault_line, {{"reason", "no memory"}});
      answer(number, problem(503, "there is no memory for the answer"));
    } catch (const std::exception& fault) {
      context_->faults.write(log::level::error, fault_line, {{"reason", fault.what()}});
      answer(number, problem(500, "a fault of Weir; the log has more"));
    }
  }

  /// The first answer to that request counts.
  void answer(std::uint64_t number, response out) {
    if (number != unanswered_) return;
    ++unanswered_;
    late_.cancel();
    write(std::move(out));
  }

  /// Nothing more can be read after such a request.
  void refuse(response why) {
    keep_alive_ = false;
    head_ = false;
    gzip_ = false;
    write(std::move(why));
  }

  void write(response out) {
    weir::metrics::all().http_requests.with({std::to_string(out.status)}).add();
    answer_ = {};
    answer_.result(static_cast<unsigned>(out.status));
    answer_.set(wire::field::content_type, out.content_type);
    answer_.set(wire::field::cache_control, "no-store");
    answer_.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : out.headers) answer_.set(name, value);
    if (out.body.size() > gzip_bytes_min) compress(out);
    answer_.keep_alive(keep_alive_);
    if (answer_.result() != wire::status::not_modified) answer_.content_length(out.body.size());
    if (!head_) answer_.body() = std::move(out.body);
    waiting_since_.reset();
    limit_time();
    wire::async_write(stream_, answer_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_written(error); });
  }

  void compress(response& out) {
    answer_.set(wire::field::vary, "Accept-Encoding");
    if (!gzip_) return;
    auto small = gzip(out.body);
    if (!small) return;
    out.body = *std::move(small);
    answer_.set(wire::field::content_encoding, "gzip");
  }

  void on_written(beast::error_code error) {
    if (error || context_->stopped) return close();
    if (keep_alive_) return read();
    limit_time();
    stream_.finish([self = shared_from_this()](beast::error_code) { self->close(); });
  }

  std::shared_ptr<session_context> context_;  // first: the stream must go before the event loop
  connection_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<wire::request_parser<wire::string_body>> parser_;
  wire::response<wire::string_body> answer_;
  asio::steady_timer late_;
  std::optional<time_point> waiting_since_;
  std::uint64_t unanswered_ = 0;  // number of the request whose answer is being made
  bool keep_alive_ = true;
  bool head_ = false;
  bool gzip_ = false;  // the client can read it
};

}  // namespace

std::shared_ptr<session> make_session(asio::ip::tcp::socket socket, std::shared_ptr<session_context> context,
                                      std::shared_ptr<asio::ssl::context> tls) {
  return std::make_shared<beast_session>(std::move(socket), std::move(context), std::move(tls));
}

}  // namespace weir::http
