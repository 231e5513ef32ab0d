// A plain client for tests of the HTTP listener over real sockets.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/server.hpp"

namespace weir::http {

/// A plain blocking socket; what comes back is compared as text.
class raw_client {
 public:
  raw_client() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {}
  explicit raw_client(std::uint16_t port) : raw_client() { connect(port); }
  void connect(std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~raw_client() { ::close(socket_); }
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  void send(std::string_view text) {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// Reads until the text ends with `end`, or the server hangs up.
  std::string read_until(std::string_view end) {
    std::string out;
    char c = 0;
    while (!out.ends_with(end) && ::recv(socket_, &c, 1, 0) == 1) out.push_back(c);
    return out;
  }
  std::string read_all() {
    std::string out;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(socket_, buffer, sizeof buffer, 0)) > 0;) {
      out.append(buffer, static_cast<std::size_t>(n));
    }
    return out;
  }

 private:
  int socket_;
};

inline std::string request_of(std::string_view path) { return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", path); }

inline std::unique_ptr<server> started(server_options options, handler handle) {
  options.listeners = {{"127.0.0.1", 0}};
  auto made = server::start(options, std::move(handle));
  EXPECT_TRUE(made) << made.error().message;
  return *std::move(made);
}

}  // namespace weir::http
