// The configuration turned into what each room takes. All checks that involve more than one key are here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/coordinator.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "cli/config.hpp"
#include "group/config.hpp"
#include "http/auth.hpp"
#include "http/server.hpp"
#include "http/webhooks.hpp"
#include "server/server.hpp"

namespace weir::cli {

enum class run_mode { embedded, gateway };

struct address {
  std::string host;  ///< empty = every interface
  std::uint16_t port = 0;
};

/// Everything `weir serve` needs, checked.
struct settings {
  run_mode mode = run_mode::embedded;
  std::int32_t node_id = 1;
  std::string broker_rack;
  std::string data_dir;
  std::int64_t shutdown_timeout_ms = 10'000;
  server::server_options kafka;
  std::vector<address> advertised;  ///< one for each listener; a port 0 stands for the port that was bound
  http::server_options http;        ///< no listeners: HTTP is off
  http::write_access http_access;
  std::size_t http_followers_max = 64;
  http::webhook_options webhooks;
  actors::coordinator_options coordinator;
  std::string upstream_servers;
  std::int64_t upstream_poll_interval_ms = 2'000;
  bool upstream_allow_streams_groups = false;
  log::level log_level = log::level::info;
  log::format log_format = log::format::text;
  std::vector<std::string> warnings;  ///< what is no mistake and probably not meant either, with key and place
};

/// Error: all that does not fit together, one mistake a line, with the keys' names and places.
[[nodiscard]] result<settings> settle(const config& from);

/// A configuration, and what it means.
struct configured {
  config values;
  settings made;

  /// Of both, for people.
  [[nodiscard]] std::vector<std::string> warnings() const;
};
/// Reads and settles in one go. Error: every mistake of both, one a line.
[[nodiscard]] result<configured> configure(const config_sources& from);

/// `PLAINTEXT://host:port` (scheme "PLAINTEXT") or `http://host:port`; the host may be empty or `[::1]`. Error: names
/// the text.
[[nodiscard]] result<address> parse_listener(std::string_view text, std::string_view scheme);
/// 127.0.0.0/8, ::1 or localhost.
[[nodiscard]] bool is_loopback(std::string_view host) noexcept;
/// Empty, 0.0.0.0 or ::.
[[nodiscard]] bool is_every_interface(std::string_view host) noexcept;

}  // namespace weir::cli
