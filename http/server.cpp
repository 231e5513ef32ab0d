#include "http/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <thread>

#include "base/guarded.hpp"
#include "base/log.hpp"
#include "base/metrics.hpp"
#include "http/session.hpp"
#include "http/spare_descriptor.hpp"
#include "http/tls.hpp"

namespace weir::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using error_code = boost::system::error_code;

class beast_server final : public server {
 public:
  beast_server(const server_options& options, handler handle) {
    context_->options = options;
    context_->handle = std::move(handle);
  }
  /// What runs at leisure may be the last to let go of a connection, and so of the context: it ends before.
  ~beast_server() override {
    beast_server::stop();
    context_->large.end();
    context_->plans.end();
  }

  result<void> bind() {
    for (const bind_address& listener : context_->options.listeners) {
      if (listener.tls && !tls_) {
        auto made = make_tls(context_->options.tls);
        if (!made) return tl::unexpected(made.error());
        tls_ = *std::move(made);
      }
      auto bound = bind_one(listener);
      if (!bound) return bound;
    }
    return {};
  }

  void run() {
    for (std::size_t i = 0; i < acceptors_.size(); ++i) accept(*acceptors_[i], context_->options.listeners[i].tls);
    thread_ = std::thread([context = context_] { indispensable_thread("HTTP thread", [&] { context->io.run(); }); });
  }

  void stop() override {
    if (!thread_.joinable()) return;
    context_->stopped = true;
    asio::post(context_->io, [this] {
      for (auto& acceptor : acceptors_) acceptor->close();
      for (auto& weak : sessions_) {
        if (const auto open = weak.lock()) open->close();
      }
    });
    thread_.join();
    context_->large.stop();
    context_->plans.stop();
  }

  [[nodiscard]] bool is_quiet(std::int64_t wait_ms) override {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
    if (!context_->large.is_quiet(wait_ms)) return false;
    const auto left = until - std::chrono::steady_clock::now();
    return context_->plans.is_quiet(std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
  }

  [[nodiscard]] std::vector<std::uint16_t> ports() const override { return ports_; }

 private:
  result<void> bind_one(const bind_address& listener) {
    const auto failed = [&](const error_code& error) {
      return fail(fmt::format("cannot listen on {}://{}:{}: {}{}", listener.tls ? "https" : "http", listener.host,
                              listener.port, error.message(),
                              error == asio::error::address_in_use
                                  ? "; another process has this port, choose another one with http.listeners"
                                  : " (http.listeners)"));
    };
    error_code error;
    const std::string host = listener.host.empty() ? "0.0.0.0" : listener.host;
    const std::string port = std::to_string(listener.port);
    const auto found = tcp::resolver(context_->io).resolve(host, port, tcp::resolver::passive, error);
    if (error) return failed(error);
    auto acceptor = std::make_unique<tcp::acceptor>(context_->io);
    const tcp::endpoint at = found.begin()->endpoint();
    if (acceptor->open(at.protocol(), error); error) return failed(error);
    acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (acceptor->bind(at, error); error) return failed(error);
    if (acceptor->listen(tcp::acceptor::max_listen_connections, error); error) return failed(error);
    if (acceptor->non_blocking(true, error); error) return failed(error);
    ports_.push_back(acceptor->local_endpoint().port());
    acceptors_.push_back(std::move(acceptor));
    return {};
  }

  /// Accepts only once somebody is there: without a free descriptor accepting fails even when nobody is.
  void accept(tcp::acceptor& from, bool tls) {
    from.async_wait(tcp::acceptor::wait_read, [this, &from, tls](error_code error) {
      if (error == asio::error::operation_aborted || context_->stopped) return;
      tcp::socket socket(context_->io);
      if (!error) from.accept(socket, error);
      if (error == asio::error::would_block) return accept(from, tls);
      if (error) return accept_later(from, tls, error);
      spare_.take_back();
      guarded([&] { admit(std::move(socket), tls); },
              [this](const char* what) {
                failures_.write(log::level::error, "cannot serve an HTTP connection", {{"reason", what}});
              });
      accept(from, tls);
    });
  }

  /// Out of file descriptors, mostly. The one kept for this lets /livez answer. Without it an own connection has to go,
  /// after a pause: what was just accepted has time to send its request, and no core burns.
  void accept_later(tcp::acceptor& from, bool tls, const error_code& error) {
    weir::metrics::all().accept_failures.with({"http"}).add();
    failures_.write(log::level::error, "cannot accept HTTP connections", {{"reason", error.message()}});
    if (spare_.give_up()) return accept(from, tls);
    auto pause = std::make_shared<asio::steady_timer>(context_->io, std::chrono::milliseconds(100));
    pause->async_wait([this, &from, tls, pause](error_code) {
      if (context_->stopped) return;
      make_room();
      accept(from, tls);
    });
  }

  /// Closes the connection that waits longest for a request. False: all of them are being answered.
  bool make_room() {
    std::shared_ptr<session> longest;
    for (const auto& weak : sessions_) {
      const auto open = weak.lock();
      if (!open || !open->waiting_since()) continue;
      if (!longest || *open->waiting_since() < *longest->waiting_since()) longest = open;
    }
    if (!longest) return false;
    std::erase_if(sessions_, [&](const std::weak_ptr<session>& one) { return one.lock() == longest; });
    longest->close();
    return true;
  }

  void admit(tcp::socket socket, bool tls) {
    std::erase_if(sessions_, [](const std::weak_ptr<session>& one) { return one.expired(); });
    if (sessions_.size() >= context_->options.connections_max) {
      weir::metrics::all().limit_rejections.with({"http.max.connections"}).add();
      if (!make_room()) return;
    }
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    auto made = make_session(std::move(socket), context_, tls ? tls_ : nullptr);
    sessions_.push_back(made);
    made->start();
  }

  std::shared_ptr<session_context> context_ = std::make_shared<session_context>();
  std::shared_ptr<asio::ssl::context> tls_;  // null unless a listener has it
  std::vector<std::unique_ptr<tcp::acceptor>> acceptors_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::weak_ptr<session>> sessions_;
  spare_descriptor spare_;
  log::flood_guard failures_{1, 10'000};
  std::thread thread_;
};

}  // namespace

result<std::unique_ptr<server>> server::start(const server_options& options, handler handle) {
  auto made = std::make_unique<beast_server>(options, std::move(handle));
  const auto bound = made->bind();
  if (!bound) return tl::unexpected(bound.error());
  made->run();
  return made;
}

}  // namespace weir::http
