// listener: one listening socket; spreads what it accepts over the I/O threads.
#pragma once

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/result.hpp"
#include "server/connection.hpp"
#include "server/plain_transport.hpp"

namespace weir::server {

/// Where to listen. An empty host is every address of the machine; port 0 lets the system choose.
struct listen_address {
  std::string host;
  std::uint16_t port = 0;

  [[nodiscard]] std::string to_string() const;
};

/// Connections that are open, per listener and in all; counted where they are accepted.
struct open_connections {
  std::atomic<std::size_t> total{0};
  std::vector<std::unique_ptr<std::atomic<std::size_t>>> per_listener;
  std::function<void()> on_close = [] {};  ///< after each decrement; any I/O thread
};

/// Lives on the first of `threads`; made and destroyed while that thread does not run or from it.
class listener {
 public:
  struct parts {
    std::size_t index = 0;  ///< of this listener
    std::shared_ptr<server_shared> shared;
    std::shared_ptr<open_connections> open;
    std::vector<std::shared_ptr<io_thread>> threads;
  };

  /// Binds. Error: names the address and what to do.
  static result<std::unique_ptr<listener>> open(const listen_address& address, parts with);

  /// The port bound.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  void start() { accept(); }
  /// Accepts no more.
  void stop();

 private:
  using acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

  explicit listener(parts with);
  void accept();
  void accepted(const std::shared_ptr<io_thread>& on, plain_socket socket);
  [[nodiscard]] bool count_in();
  void accept_later();

  parts with_;
  acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::uint16_t port_ = 0;
  std::size_t next_thread_ = 0;
  log::flood_guard failures_{1, 10'000};
  log::flood_guard refusals_{1, 10'000};
};

/// As Java's InetAddress prints an address that was never resolved: `/127.0.0.1`, `/0:0:0:0:0:0:0:1`.
[[nodiscard]] std::string java_text(const boost::asio::ip::address& address);

}  // namespace weir::server
