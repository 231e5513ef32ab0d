#include "cli/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "cli/read_file.hpp"
#include "http/json_reader.hpp"

namespace weir::cli {
namespace {

/// Collects mistakes of all keys, so that one run shows all of them.
class settler {
 public:
  explicit settler(const config& from) : from_(from) {}

  result<settings> settle() {
    settle_general();
    settle_listeners();
    settle_limits();
    settle_http();
    settle_groups();
    settle_log();
    if (!mistakes_.empty()) return fail(http::joined(mistakes_, "\n"));
    return std::move(out_);
  }

 private:
  void settle_general() {
    out_.mode = from_.text("mode") == "gateway" ? run_mode::gateway : run_mode::embedded;
    out_.node_id = int32("node.id");
    out_.broker_rack = from_.text("broker.rack");
    out_.data_dir = from_.text("data.dir");
    out_.shutdown_timeout_ms = from_.integer("shutdown.timeout.ms");
    out_.upstream_servers = from_.text("upstream.bootstrap.servers");
    out_.upstream_poll_interval_ms = from_.integer("upstream.poll.interval.ms");
    out_.upstream_allow_streams_groups = from_.flag("upstream.allow.streams.groups");
    if (out_.data_dir.empty()) complain("data.dir", "must not be empty");
    if (out_.mode == run_mode::gateway && out_.upstream_servers.empty()) {
      complain("upstream.bootstrap.servers", "must be set when mode is \"gateway\"");
    }
  }

  void settle_listeners() {
    for (const address& one : addresses("listeners", "PLAINTEXT")) {
      out_.kafka.listeners.push_back({one.host, one.port});
      out_.advertised.push_back(one);
    }
    if (out_.kafka.listeners.empty()) complain("listeners", "must name at least one listener");
    const auto advertised = addresses("advertised.listeners", "PLAINTEXT");
    if (!advertised.empty()) out_.advertised = advertised;
    if (out_.advertised.size() != out_.kafka.listeners.size()) {
      complain("advertised.listeners", "must name as many addresses as 'listeners'");
    }
    if (out_.mode == run_mode::gateway) check_gateway_listener();
    for (address& one : out_.advertised) {
      if (one.host.empty() || one.host == "0.0.0.0" || one.host == "::") one.host = "localhost";
    }
  }

  void check_gateway_listener() {
    if (out_.kafka.listeners.size() > 1) {
      complain("listeners", "must be a single one in gateway mode: one upstream broker is served");
    }
    if (!out_.advertised.empty() && out_.advertised.front().port == 0) {
      complain("advertised.listeners", "must name the port in gateway mode");
    }
  }

  void settle_limits() {
    server::server_limits& limits = out_.kafka.limits;
    out_.kafka.io_threads = size("io.threads");
    limits.frame_bytes_max = size("socket.request.max.bytes");
    limits.connections_max = size("max.connections");
    limits.connections_per_listener_max = limits.connections_max;
    limits.idle_ms = from_.integer("connections.max.idle.ms");
    limits.in_flight_per_connection_max = size("connection.max.in.flight");
    limits.in_flight_max = size("max.in.flight");
    limits.frame_read_ms = from_.integer("connection.frame.timeout.ms");
    limits.write_ms = limits.frame_read_ms;
    if (limits.in_flight_per_connection_max > limits.in_flight_max) {
      complain("connection.max.in.flight", "must not be above 'max.in.flight'");
    }
  }

  void settle_http() {
    for (const address& one : addresses("http.listeners", "http")) out_.http.listeners.push_back({one.host, one.port});
    out_.http.connections_max = size("http.max.connections");
    out_.http.idle_timeout_ms = from_.integer("http.idle.timeout.ms");
    out_.http.body_bytes_max = size("http.body.max.bytes");
    const auto& bound = out_.http.listeners;
    out_.http_access.loopback_only =
        std::all_of(bound.begin(), bound.end(), [](const http::bind_address& at) { return is_loopback(at.host); });
    out_.http_access.token = from_.text("http.token");
    const std::string& file = from_.text("http.token_file");
    if (file.empty()) return;
    if (!out_.http_access.token.empty()) {
      return complain("http.token_file", "must not be set together with 'http.token'");
    }
    read_token(file);
  }

  void read_token(const std::string& path) {
    auto content = read_file(path);
    if (!content) return complain("http.token_file", content.error().message);
    std::string token = *std::move(content);
    while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) token.pop_back();
    if (token.empty()) return complain("http.token_file", fmt::format("'{}' is empty", path));
    out_.http_access.token = std::move(token);
  }

  void settle_groups() {
    group::broker_config& broker = out_.coordinator.broker;
    broker.session_timeout_ms = int32("group.streams.session.timeout.ms");
    broker.min_session_timeout_ms = int32("group.streams.min.session.timeout.ms");
    broker.max_session_timeout_ms = int32("group.streams.max.session.timeout.ms");
    broker.heartbeat_interval_ms = int32("group.streams.heartbeat.interval.ms");
    broker.min_heartbeat_interval_ms = int32("group.streams.min.heartbeat.interval.ms");
    broker.max_heartbeat_interval_ms = int32("group.streams.max.heartbeat.interval.ms");
    broker.max_size = int32("group.streams.max.size");
    broker.num_standby_replicas = int32("group.streams.num.standby.replicas");
    broker.max_standby_replicas = int32("group.streams.max.standby.replicas");
    broker.num_warmup_replicas = int32("group.streams.num.warmup.replicas");
    broker.max_warmup_replicas = int32("group.streams.max.warmup.replicas");
    broker.initial_rebalance_delay_ms = int32("group.streams.initial.rebalance.delay.ms");
    broker.assignment_interval_ms = int32("group.streams.assignment.interval.ms");
    broker.min_assignment_interval_ms = int32("group.streams.min.assignment.interval.ms");
    broker.max_assignment_interval_ms = int32("group.streams.max.assignment.interval.ms");
    broker.task_offset_interval_ms = int32("group.streams.task.offset.interval.ms");
    broker.min_task_offset_interval_ms = int32("group.streams.min.task.offset.interval.ms");
    broker.acceptable_recovery_lag = from_.integer("group.streams.acceptable.recovery.lag");
    broker.rack_aware_assignment_tags = from_.list("group.streams.rack.aware.assignment.tags");
    broker.assignors = from_.list("group.streams.assignors");
    broker.assignor_offload_enable = from_.flag("group.streams.assignor.offload.enable");
    out_.coordinator.strict_kafka = from_.flag("strict.kafka");
    out_.coordinator.threads = size("actor.threads");
    out_.coordinator.answer_timeout_ms = from_.integer("offsets.commit.timeout.ms");
    if (const auto checked = broker.check(); !checked) mistakes_.push_back(checked.error().message);
  }

  void settle_log() {
    const std::string& level = from_.text("log.level");
    if (level == "debug") out_.log_level = log::level::debug;
    if (level == "warn") out_.log_level = log::level::warn;
    if (level == "error") out_.log_level = log::level::error;
    out_.log_format = from_.text("log.format") == "json" ? log::format::json : log::format::text;
  }

  std::vector<address> addresses(std::string_view key, std::string_view scheme) {
    std::vector<address> out;
    for (const std::string& text : from_.list(key)) {
      const auto parsed = parse_listener(text, scheme);
      if (parsed) {
        out.push_back(*parsed);
      } else {
        complain(key, parsed.error().message);
      }
    }
    return out;
  }

  [[nodiscard]] std::int32_t int32(std::string_view key) const { return static_cast<std::int32_t>(from_.integer(key)); }
  [[nodiscard]] std::size_t size(std::string_view key) const { return static_cast<std::size_t>(from_.integer(key)); }

  void complain(std::string_view key, std::string_view what) {
    const std::string& place = from_.at(key).place;
    mistakes_.push_back(fmt::format("{}{}'{}' {}", place, place.empty() ? "" : ": ", key, what));
  }

  const config& from_;
  settings out_;
  std::vector<std::string> mistakes_;
};

}  // namespace

result<settings> settle(const config& from) { return settler(from).settle(); }

result<address> parse_listener(std::string_view text, std::string_view scheme) {
  const auto wrong = [&] { return fail(fmt::format("must have the form {}://host:port, not '{}'", scheme, text)); };
  const std::string start = fmt::format("{}://", scheme);
  if (!text.starts_with(start)) return wrong();
  const std::string_view rest = text.substr(start.size());
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view host = rest.substr(0, colon);
  const std::string_view digits = rest.substr(colon + 1);
  address out;
  const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  if (error != std::errc() || stopped != digits.data() + digits.size()) return wrong();
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  out.host = host;
  return out;
}

bool is_loopback(std::string_view host) noexcept {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace weir::cli
