// One HTTP connection: reads a request, hands it to the handler, writes the answer, and again while it is kept alive.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/limits.hpp"
#include "base/log.hpp"
#include "http/background.hpp"
#include "http/request.hpp"
#include "http/server.hpp"

namespace weir::http {

/// What all sessions of a server share. Kept alive by each of them, since an answer may come after the server is gone.
struct session_context {
  boost::asio::io_context io{1};
  server_options options;
  handler handle;
  std::atomic<bool> stopped = false;
  log::flood_guard faults{20, 10'000};  ///< lines about requests that ended by an exception
  // Make what takes its time (response::work). The server ends them before it goes itself.
  background large{limits::large_answers_max};
  background plans{limits::long_questions_max};
};

/// Lives as long as something is under way on its connection. All methods run on the context's thread.
class session {
 public:
  virtual ~session() = default;
  virtual void start() = 0;
  virtual void close() = 0;
  /// Since when it waits for a whole request. Nothing while one is answered.
  [[nodiscard]] virtual std::optional<std::chrono::steady_clock::time_point> waiting_since() const = 0;
};

/// tls: null = plain.
[[nodiscard]] std::shared_ptr<session> make_session(boost::asio::ip::tcp::socket socket,
                                                    std::shared_ptr<session_context> context,
                                                    std::shared_ptr<boost::asio::ssl::context> tls = nullptr);

}  // namespace weir::http
