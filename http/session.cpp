#include "http/session.hpp"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include "base/guarded.hpp"
#include "base/metrics.hpp"
#include "http/beast_request.hpp"
#include "http/connection_stream.hpp"
#include "http/gzip.hpp"
#include "http/problem.hpp"

namespace weir::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

constexpr std::size_t large_bytes = 16'384;
/// So often a client that waits is looked after, once it has sent something that is not read yet.
constexpr std::chrono::seconds peer_look_interval{2};
constexpr std::string_view fault_line = "a fault while an HTTP request was handled";

class beast_session final : public session, public std::enable_shared_from_this<beast_session> {
  using time_point = std::chrono::steady_clock::time_point;

 public:
  beast_session(asio::ip::tcp::socket socket, std::shared_ptr<session_context> context,
                std::shared_ptr<asio::ssl::context> tls)
      : context_(std::move(context)), stream_(std::move(socket), std::move(tls)),
        late_(context_->io), watch_(context_->io) {}

  void start() override {
    waiting_since_ = std::chrono::steady_clock::now();
    limit_time();
    stream_.handshake([self = shared_from_this()](beast::error_code error) { error ? self->close() : self->read(); });
  }

  [[nodiscard]] std::optional<time_point> waiting_since() const override { return waiting_since_; }

  void close() override {
    ++unanswered_;  // an answer that comes now finds nobody
    later_.reset();
    stream_source_.reset();
    late_.cancel();
    is_watching_ = false;
    watch_.cancel();
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
    is_old_ = message.version() < 11;
    head_ = message.method() == wire::verb::head;
    gzip_ = accepts_gzip(text_of(message[wire::field::accept_encoding]));
    auto asked = to_request(std::move(message));
    if (!asked) return write(problem(400, asked.error().message));
    stream_.expires_never();  // the client is not late now
    waiting_since_.reset();
    const auto number = ++unanswered_;
    limit_answer(number);
    const auto respond_to_it = responder(number);
    attempt(respond_to_it, [&] { context_->handle(*std::move(asked), respond_to_it); });
  }

  /// What may answer. Any thread.
  template <class Work>
  void attempt(const respond& answer, Work work) {
    try {
      work();
    } catch (const std::bad_alloc&) {
      context_->faults.write(log::level::error, fault_line, {{"reason", "no memory"}});
      answer(problem(503, "there is no memory for the answer"));
    } catch (const std::exception& fault) {
      context_->faults.write(log::level::error, fault_line, {{"reason", fault.what()}});
      answer(problem(500, "a fault of Weir; the log has more"));
    }
  }

  /// Any thread. A large body is made small where it was made.
  respond responder(std::uint64_t number) {
    return [self = shared_from_this(), number, is_wanted = gzip_](response out) {
      if (self->context_->stopped) return;
      if (out.body.size() > large_bytes) compress(out, is_wanted);
      asio::post(self->context_->io,
                 [self, number, out = std::move(out)]() mutable { self->answer(number, std::move(out)); });
    };
  }

  void limit_answer(std::uint64_t number) {
    late_.expires_after(std::chrono::milliseconds(context_->options.answer_timeout_ms));
    late_.async_wait([self = shared_from_this(), number](beast::error_code cancelled) {
      if (cancelled || number != self->unanswered_) return;
      self->keep_alive_ = false;  // one late handler for each connection is enough
      self->answer(number, problem(503, "the answer takes too long; a change may still be made"));
    });
  }

  /// The first answer to that request counts, unless it only says that there is none yet.
  void answer(std::uint64_t number, response out) {
    if (number != unanswered_) return;
    if (out.work) return make_at_leisure(number, std::move(out));
    if (out.later) return wait(number, std::move(out.later));
    ++unanswered_;
    late_.cancel();
    later_.reset();
    if (is_watching_) stop_watching();
    if (out.stream && !head_) return start_stream(std::move(out));
    write(std::move(out));
  }

  /// A client may end its side and still take what comes at once; one that waits for a plan is gone then.
  void make_at_leisure(std::uint64_t number, response what) {
    auto& by = what.is_long ? context_->plans : context_->large;
    if (what.is_long && !is_watching_) watch_peer();
    auto made = [self = shared_from_this(), respond_to_it = responder(number), work = std::move(what.work)] {
      self->attempt(respond_to_it, work);
    };
    const bool is_taken = by.run(std::move(made), [self = shared_from_this(), number] {
      return !self->context_->stopped && self->unanswered_ == number;
    });
    if (is_taken) return;
    answer(number, problem(503, what.is_long ? "too many questions of this kind are waiting: ask again"
                                             : "too many large answers are being made: ask again"));
  }

  // A request that waits for news: asked again at each ring, one time more when its time is up.

  void wait(std::uint64_t number, std::shared_ptr<postponed> what) {
    is_asking_ = false;
    if (later_) {
      if (is_time_up_ || std::exchange(has_news_, false)) ask_again(number);
      return;
    }
    later_ = std::move(what);
    has_news_ = is_time_up_ = false;
    late_.expires_after(std::chrono::milliseconds(later_->wait_ms()));
    late_.async_wait([self = shared_from_this(), number](beast::error_code cancelled) {
      if (cancelled || number != self->unanswered_) return;
      self->is_time_up_ = true;
      self->limit_answer(number);
      self->ask_again(number);
    });
    if (!is_watching_) watch_peer();
    later_->listen(waker([number](beast_session& woken) { woken.ask_again(number); }));
  }

  void ask_again(std::uint64_t number) {
    if (number != unanswered_ || !later_) return;
    if (is_asking_) {
      has_news_ = true;
      return;
    }
    is_asking_ = true;
    guarded([&] { later_->ask(is_time_up_, responder(number)); }, [this](const char* what) { give_up(what); });
  }

  /// Of a request that is under way: whoever waits for it finds the connection closed.
  void give_up(const char* what) {
    context_->faults.write(log::level::error, fault_line, {{"reason", what}});
    close();
  }

  /// What may be called from any thread to have `then` run on this one; many calls are one until it runs.
  template <class Then>
  std::function<void()> waker(Then then) {
    return [self = weak_from_this(), context = context_, woken = std::make_shared<std::atomic<bool>>(false), then] {
      if (context->stopped || woken->exchange(true)) return;
      asio::post(context->io, [self, woken, then] {
        woken->store(false);
        if (const auto alive = self.lock()) then(*alive);
      });
    };
  }

  /// Nothing is read while an answer is waited for, so a client that has gone would not be noticed. What it sent before
  /// it went (the next request, or the end of TLS) keeps the socket readable: from then on it is looked at.
  void watch_peer() {
    is_watching_ = true;
    stream_.socket().async_wait(asio::ip::tcp::socket::wait_read,
                                [self = shared_from_this()](beast::error_code error) { self->look_at_peer(error); });
  }

  void look_at_peer(beast::error_code error) {
    if (error || !is_watching_) return;
    if (stream_.is_hung_up()) return close();
    watch_.expires_after(peer_look_interval);
    watch_.async_wait([self = shared_from_this()](beast::error_code cancelled) { self->look_at_peer(cancelled); });
  }

  void stop_watching() {
    is_watching_ = false;
    watch_.cancel();
    beast::error_code ignored;
    stream_.socket().cancel(ignored);
  }

  // A body that goes on and on: one piece at a time, so that what a client does not read is not kept for it.

  void start_stream(response out) {
    count_answer(out.status);
    stream_source_ = std::move(out.stream);
    auto header = std::make_shared<wire::response<wire::empty_body>>();
    header->result(static_cast<unsigned>(out.status));
    header->version(is_old_ ? 10 : 11);
    put_headers(*header, out);
    header->keep_alive(false);
    header->chunked(!is_old_);
    auto writer = std::make_shared<wire::response_serializer<wire::empty_body>>(*header);
    is_sending_ = true;
    limit_time();
    wire::async_write_header(stream_, *writer,
                             [self = shared_from_this(), header, writer](beast::error_code error, std::size_t) {
                               self->is_sending_ = false;
                               error || !self->stream_source_ ? self->close() : self->follow_stream();
                             });
  }

  void follow_stream() {
    watch_peer();
    stream_source_->listen(waker([](beast_session& woken) { woken.pump(false); }));
    pump(false);
  }

  void pump(bool is_idle) {
    if (is_sending_ || !stream_source_) return;
    stream_source::piece piece;
    guarded([&] { piece = stream_source_->next(is_idle); }, [this](const char* what) { give_up(what); });
    if (!stream_source_) return;
    if (piece.text.empty() && !piece.is_last) return wait_for_more();
    late_.cancel();
    is_idle_ = false;
    piece_ = is_old_ ? piece.text : fmt::format("{:x}\r\n{}\r\n", piece.text.size(), piece.text);
    if (piece.is_last && !is_old_) piece_ += "0\r\n\r\n";
    is_sending_ = true;
    limit_time();
    asio::async_write(stream_, asio::buffer(piece_),
                      [self = shared_from_this(), is_last = piece.is_last](beast::error_code error, std::size_t) {
                        self->is_sending_ = false;
                        error || is_last ? self->close() : self->pump(false);
                      });
  }

  /// Since the last piece: being woken for nothing does not count.
  void wait_for_more() {
    if (std::exchange(is_idle_, true)) return;
    stream_.expires_never();
    late_.expires_after(std::chrono::milliseconds(stream_source_->idle_ms()));
    late_.async_wait([self = shared_from_this()](beast::error_code cancelled) {
      if (cancelled) return;
      self->is_idle_ = false;
      self->pump(true);
    });
  }

  /// Nothing more can be read after such a request.
  void refuse(response why) {
    keep_alive_ = false;
    head_ = false;
    gzip_ = false;
    write(std::move(why));
  }

  static void count_answer(int status) {
    weir::metrics::all().http_requests.with({std::to_string(status)}).add();
  }

  template <class Message>
  static void put_headers(Message& into, const response& from) {
    into.set(wire::field::content_type, from.content_type);
    into.set(wire::field::cache_control, "no-store");
    into.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : from.headers) into.set(name, value);
  }

  void write(response out) {
    count_answer(out.status);
    answer_ = {};
    answer_.result(static_cast<unsigned>(out.status));
    compress(out, gzip_);
    put_headers(answer_, out);
    answer_.keep_alive(keep_alive_);
    if (answer_.result() != wire::status::not_modified) answer_.content_length(out.body.size());
    if (!head_) answer_.body() = std::move(out.body);
    waiting_since_.reset();
    limit_time();
    wire::async_write(stream_, answer_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_written(error); });
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
  asio::steady_timer watch_;
  std::optional<time_point> waiting_since_;
  std::atomic<std::uint64_t> unanswered_ = 0;  // number of the request whose answer is being made; read by any thread
  bool keep_alive_ = true;
  bool head_ = false;
  bool is_old_ = false;  // HTTP/1.0: knows no chunks
  std::shared_ptr<postponed> later_;  // the request that waits, if it does
  bool is_asking_ = false;            // it has been asked again and has not answered
  bool has_news_ = false;             // it was woken meanwhile
  bool is_time_up_ = false;
  bool is_watching_ = false;
  std::shared_ptr<stream_source> stream_source_;
  std::string piece_;  // of the stream, on its way
  bool is_sending_ = false;
  bool is_idle_ = false;  // the timer that says so is running
  bool gzip_ = false;  // the client can read it
};

}  // namespace

std::shared_ptr<session> make_session(asio::ip::tcp::socket socket, std::shared_ptr<session_context> context,
                                      std::shared_ptr<asio::ssl::context> tls) {
  return std::make_shared<beast_session>(std::move(socket), std::move(context), std::move(tls));
}

}  // namespace weir::http
