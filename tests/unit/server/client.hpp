// A blocking client for tests of the Kafka listener: sends bytes or requests, reads frames, sees a close. Everything
// that waits gives up after ten seconds.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "protocol/codec.hpp"
#include "protocol/headers.hpp"

namespace weir::server::testing {

class client {
 public:
  explicit client(std::uint16_t port);
  client(client&& other) noexcept : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  client& operator=(client&&) = delete;
  ~client();

  void send(const bytes& data) const;
  /// Like send(), but a connection that the server has closed is no failure. False: closed.
  bool try_send(const bytes& data) const;
  /// The next frame without its length; nothing if the connection was closed or nothing came in time.
  std::optional<bytes> read_frame();
  /// The server closed the connection and sent nothing before.
  bool closed();
  /// Waits `ms` for bytes; true if some came, or a close.
  bool readable(int ms) const;
  void close();
  /// Sends no more, and goes on reading.
  void end() const;
  /// Closes so that the server is told at once that nobody is there (RST).
  void reset();

  /// One request, one answer.
  template <class Response, class Request>
  Response call(const Request& request, std::int16_t version, std::int32_t correlation_id = 7) {
    send(protocol::encode_request_frame(correlation_id, text("test"), request, version));
    return read<Response>(version, correlation_id);
  }
  template <class Response>
  Response read(std::int16_t version, std::int32_t correlation_id = 7) {
    frame_ = read_frame().value_or(bytes());
    const auto opened = protocol::open_response(frame_, static_cast<protocol::api>(Response::api_key), version);
    if (!opened) {
      ADD_FAILURE() << "no answer: " << opened.error().message;
      return {};
    }
    EXPECT_EQ(opened->header.correlation_id, correlation_id);
    auto decoded = protocol::decode<Response>(opened->body, version);
    if (!decoded) {
      ADD_FAILURE() << decoded.error().message;
      return {};
    }
    return std::move(*decoded);  // its texts look into frame_, until the next call
  }

 private:
  bool fill();

  int socket_ = -1;
  bytes buffer_;
  bytes frame_;
};

/// A request frame with its length: ApiVersions version 0, whose body no test session looks at.
[[nodiscard]] bytes plain_request(std::int32_t correlation_id, std::string_view payload = {});
/// The answer a test session gives to it: length, correlation id, payload.
[[nodiscard]] bytes plain_answer(std::int32_t correlation_id, std::string_view payload = {});
/// The correlation id of an answer, or -1.
[[nodiscard]] std::int32_t id_of(const std::optional<bytes>& frame);
[[nodiscard]] bytes operator+(bytes a, const bytes& b);

}  // namespace weir::server::testing
