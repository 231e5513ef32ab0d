// What stands behind a Kafka listener: for each accepted connection a session is opened that takes its requests. The
// embedded coordinator and the gateway each bring their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "actors/answer_sink.hpp"
#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/headers.hpp"

namespace boost::asio {
class io_context;
}

namespace weir::server {

/// Who is connected, and to what. Does not change.
struct connection_info {
  std::size_t listener = 0;      ///< index into server_options::listeners
  std::uint16_t local_port = 0;  ///< of the listener, as bound
  std::string client_host;       ///< as Java prints the address: `/127.0.0.1`
  std::string peer;              ///< for log lines: `127.0.0.1:40112`
};

/// The connection as a session sees it; requests being answered keep it alive. Every slot a session was given gets
/// exactly one answer(), or the connection is closed. An empty frame answers nothing (a Produce with acks 0).
class client_connection : public actors::answer_sink {
 public:
  [[nodiscard]] virtual const connection_info& info() const noexcept = 0;
  /// Ends the connection for a reason that is not the client's; the log line says it. What the client does wrong is
  /// told by connection_session::on_request. Any thread; returns at once.
  virtual void close(std::string reason) = 0;
  /// Bytes of answers that the client has not taken yet. The connection's thread only.
  [[nodiscard]] virtual std::size_t untaken_bytes() const = 0;
  /// Where the connection lives: everything of it runs on this one thread. For sockets of the session's own.
  [[nodiscard]] virtual boost::asio::io_context& context() noexcept = 0;
};

/// One request. Header and body are views of the frame.
struct request_in {
  shared_frame frame;  ///< without its length
  protocol::request_header header;
  byte_view body;
  std::shared_ptr<client_connection> connection;
  std::uint64_t slot = 0;
};

/// All calls come from the connection's I/O thread and must not block.
class connection_session {
 public:
  virtual ~connection_session() = default;
  /// Takes a request; its answer may come now or later, from any thread. Error: the client breaks the protocol, the
  /// connection is closed and the text goes into its log line.
  virtual result<void> on_request(request_in request) = 0;
  /// The connection is closed; nothing comes after this. Answers still in the making go nowhere.
  virtual void on_close() noexcept {}
};

/// Shared by all I/O threads.
class session_factory {
 public:
  virtual ~session_factory() = default;
  /// A connection was accepted. The session must not keep the connection alive by itself.
  virtual std::unique_ptr<connection_session> open(const std::shared_ptr<client_connection>& connection) = 0;
};

}  // namespace weir::server
