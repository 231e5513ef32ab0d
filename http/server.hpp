// The HTTP listener: its own thread and event loop, so that no admin request delays a heartbeat. Beast stays behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/request.hpp"

namespace weir::http {

struct bind_address {
  std::string host;        ///< a name or literal address; empty = every interface
  std::uint16_t port = 0;  ///< 0 = any free one
  bool tls = false;
};

/// PEM files; used if a listener has TLS.
struct tls_files {
  std::string certificate;  ///< the server's, followed by those that lead to a root
  std::string key;          ///< not encrypted
};

struct server_options {
  std::vector<bind_address> listeners;
  tls_files tls = {};
  std::size_t header_bytes_max = 16U * 1024;
  std::size_t body_bytes_max = 1024U * 1024;
  std::size_t connections_max = 256;  ///< one more takes the place of the one that waits longest for a request
  /// Bounds the wait for one whole request, and the writing of one whole answer.
  std::int64_t idle_timeout_ms = 30'000;
  std::int64_t answer_timeout_ms = 30'000;  ///< then the answer is 503, whatever the handler says later
};

class server {
 public:
  /// Binds and starts to serve. Error: address unknown, port in use, files of TLS that cannot be used; it
  /// names the listener and the key to change.
  static result<std::unique_ptr<server>> start(const server_options& options, handler handle);
  virtual ~server() = default;  ///< stops, and waits for what is still being worked out

  /// Closes every connection and ends the thread. Answers that come later are dropped, questions that wait are not
  /// begun.
  virtual void stop() = 0;
  /// After stop(): whether nothing is being worked out any more, at the latest after `wait_ms`.
  [[nodiscard]] virtual bool is_quiet(std::int64_t wait_ms) = 0;
  /// The ports that are bound, in the order of the listeners.
  [[nodiscard]] virtual std::vector<std::uint16_t> ports() const = 0;
};

}  // namespace weir::http
