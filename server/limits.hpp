// What the Kafka listener allows a client, and the whole process, to hold at one time. Filled from configuration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/limits.hpp"
#include "base/result.hpp"

namespace weir::server {

/// A client that has so many bytes of answers to take gets no further ones.
inline constexpr std::size_t untaken_bytes_max = std::size_t{32} * 1024 * 1024;

/// Valid only if check() says so.
struct server_limits {
  std::size_t frame_bytes_max = limits::frame_bytes_max;  ///< `socket.request.max.bytes`
  /// `queued.max.request.bytes`: memory of unfinished frames of all connections, beyond the protocol::kept_bytes_max
  /// that each may have. Above it one connection at a time is read to the end of its frame.
  std::size_t unfinished_bytes_max = std::size_t{1} << 30;
  std::size_t connections_max = 10'000;                   ///< of the process; further ones are closed at once
  std::size_t connections_per_listener_max = 10'000;
  /// Requests read and not yet answered of one connection, answers its client does not take included. At the limit its
  /// socket is not read, so the client is slowed down by TCP; that it is gone is then seen within a second.
  std::size_t in_flight_per_connection_max = 128;
  std::size_t in_flight_max = 100'000;  ///< the same for the process
  /// Bytes of answers of one connection that its client has not taken, or that wait for an earlier answer. Above it the
  /// socket is not read either.
  std::size_t untaken_bytes_per_connection_max = untaken_bytes_max;
  std::int64_t idle_ms = 600'000;       ///< `connections.max.idle.ms`: no request and none being answered
  std::int64_t frame_read_ms = 30'000;  ///< from the first to the last byte of one frame
  /// Longest time a client takes nothing of what waits for it, and that an answer may take once its client has ended
  /// its side of the connection.
  std::int64_t write_ms = 30'000;

  /// Error: names the value and its range.
  [[nodiscard]] result<void> check() const;
};

}  // namespace weir::server
