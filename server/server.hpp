// kafka_server: listeners, I/O threads and connections, without any idea of what a request means: that is the session
// factory's matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "server/limits.hpp"
#include "server/listener.hpp"
#include "server/session.hpp"

namespace weir::server {

struct server_options {
  std::vector<listen_address> listeners;  ///< at least one
  std::size_t io_threads = 2;             ///< at least 1
  server_limits limits;
};

/// A snapshot, for metrics.
struct server_stats {
  std::vector<std::size_t> connections;  ///< open, per listener
  std::size_t requests_in_flight = 0;
  std::uint64_t accepted = 0;
  std::size_t unfinished_bytes = 0;  ///< memory of frames that have not come to their end
  std::uint64_t held_back = 0;       ///< reads put off because that was too much
  std::uint64_t refused = 0;
  std::uint64_t requests = 0;
  std::uint64_t protocol_errors = 0;
  std::uint64_t timed_out = 0;
};

class kafka_server {
 public:
  /// Listens and serves when it returns. `sessions` must outlive the server. Error: names the address or the value that
  /// is wrong, and what to do; nothing is left running.
  static result<std::unique_ptr<kafka_server>> start(server_options options, session_factory& sessions);
  kafka_server(const kafka_server&) = delete;
  kafka_server& operator=(const kafka_server&) = delete;
  ~kafka_server();  ///< stop(0)

  /// The port that listener is bound to.
  [[nodiscard]] std::uint16_t port(std::size_t listener = 0) const noexcept { return listeners_[listener]->port(); }

  /// Accepts and reads no more, waits up to `limit_ms` until what was read is answered and written, closes the rest.
  /// Idempotent; not from an I/O thread.
  void stop(std::int64_t limit_ms);

  [[nodiscard]] server_stats stats() const;

 private:
  kafka_server() = default;
  [[nodiscard]] result<void> open_all(const server_options& options);

  struct close_signal;
  std::shared_ptr<server_shared> shared_;
  std::shared_ptr<open_connections> open_;
  std::shared_ptr<close_signal> closed_;
  std::vector<std::shared_ptr<io_thread>> threads_;
  std::vector<std::unique_ptr<class listener>> listeners_;
  bool running_ = false;
};

}  // namespace weir::server
