#include "cli/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "assignor/registry.hpp"
#include "cli/tokens.hpp"
#include "cli/webhook_settings.hpp"
#include "gateway/gateway.hpp"
#include "http/json_reader.hpp"

namespace weir::cli {
namespace {

/// Collects mistakes of all keys, so that one run shows all of them.
class settler {
 public:
  settler(const config& from, std::vector<config_mistake>& mistakes) : from_(from), mistakes_(mistakes) {}

  settings settle() {
    settle_general();
    settle_upstream();
    settle_listeners();
    settle_limits();
    settle_http();
    settle_webhooks();
    check_addresses();
    settle_groups();
    settle_log();
    return std::move(out_);
  }

 private:
  void settle_general() {
    out_.mode = from_.text("mode") == "gateway" ? run_mode::gateway : run_mode::embedded;
    out_.node_id = int32("node.id");
    out_.broker_rack = from_.text("broker.rack");
    out_.data_dir = from_.text("data.dir");
    out_.shutdown_timeout_ms = from_.integer("shutdown.timeout.ms");
    if (out_.data_dir.empty()) complain("data.dir", "must not be empty");
  }

  void settle_upstream() {
    constexpr auto key = "upstream.bootstrap.servers";
    out_.upstream_servers = from_.text(key);
    out_.upstream_poll_interval_ms = from_.integer("upstream.poll.interval.ms");
    out_.upstream_allow_streams_groups = from_.flag("upstream.allow.streams.groups");
    if (!out_.upstream_servers.empty()) {
      const auto parsed = gateway::parse_bootstrap(out_.upstream_servers);
      if (!parsed) complain(key, parsed.error().message);
    } else if (out_.mode == run_mode::gateway) {
      complain(key, "must be set when mode is \"gateway\"", {"mode"});
    }
  }

  void settle_listeners() {
    const auto listeners = addresses("listeners", "PLAINTEXT");
    const auto advertised = addresses("advertised.listeners", "PLAINTEXT");
    if (from_.list("listeners").empty()) complain("listeners", "must name at least one listener");
    if (!listeners || !advertised) return;
    for (const address& one : *listeners) out_.kafka.listeners.push_back({one.host, one.port});
    out_.advertised = advertised->empty() ? *listeners : *advertised;
    if (!listeners->empty() && out_.advertised.size() != listeners->size()) {
      complain("advertised.listeners", "must name as many addresses as 'listeners'", {"listeners"});
    }
    if (out_.mode == run_mode::gateway) check_gateway_listener();
    advertised->empty() ? advertise_listeners() : check_advertised(*advertised);
  }

  /// Nobody can connect to every interface, so something has to be told in its place.
  void advertise_listeners() {
    bool everywhere = false;
    for (address& one : out_.advertised) {
      if (!is_every_interface(one.host)) continue;
      one.host = "localhost";
      everywhere = true;
    }
    if (!everywhere) return;
    warn("listeners",
         "has every interface, and clients are told to connect to localhost, which only those on this machine can: set "
         "'advertised.listeners' to the name or address that clients reach it by");
  }

  void check_advertised(const std::vector<address>& advertised) {
    for (const address& one : advertised) {
      if (is_every_interface(one.host)) {
        complain("advertised.listeners",
                 fmt::format("must name a host that clients can connect to, not '{}'", one.host));
      }
      if (one.port == 0) complain("advertised.listeners", "must name the port that clients connect to, not 0");
    }
  }

  void check_gateway_listener() {
    if (out_.kafka.listeners.size() > 1) {
      complain("listeners", "must be a single one in gateway mode: one upstream broker is served", {"mode"});
    }
    const bool by_itself = from_.list("advertised.listeners").empty();  // else check_advertised() says it
    if (by_itself && !out_.advertised.empty() && out_.advertised.front().port == 0) {
      complain("advertised.listeners", "must name the port in gateway mode", {"listeners", "mode"});
    }
  }

  /// Two listeners of one address: the second could not be bound.
  void check_addresses() {
    std::set<std::string> taken;
    for (const auto& one : out_.kafka.listeners) {
      if (one.port != 0 && !taken.insert(one.to_string()).second) {
        complain("listeners", fmt::format("names {} twice", one.to_string()));
      }
    }
    for (const auto& one : out_.http.listeners) {
      const std::string text = server::listen_address{one.host, one.port}.to_string();
      if (one.port != 0 && !taken.insert(text).second) {
        complain("http.listeners", fmt::format("names {}, which is taken by another listener", text), {"listeners"});
      }
    }
  }

  void settle_limits() {
    server::server_limits& limits = out_.kafka.limits;
    out_.kafka.io_threads = size("io.threads");
    limits.frame_bytes_max = size("socket.request.max.bytes");
    limits.unfinished_bytes_max = size("queued.max.request.bytes");
    limits.connections_max = size("max.connections");
    limits.connections_per_listener_max = limits.connections_max;
    limits.idle_ms = from_.integer("connections.max.idle.ms");
    limits.in_flight_per_connection_max = size("connection.max.in.flight");
    limits.in_flight_max = size("max.in.flight");
    limits.frame_read_ms = from_.integer("connection.frame.timeout.ms");
    limits.write_ms = limits.frame_read_ms;
    if (limits.frame_bytes_max > limits.unfinished_bytes_max) {
      complain("queued.max.request.bytes", "must not be below 'socket.request.max.bytes'",
               {"socket.request.max.bytes"});
    }
    if (limits.in_flight_per_connection_max > limits.in_flight_max) {
      complain("connection.max.in.flight", "must not be above 'max.in.flight'", {"max.in.flight"});
    }
  }

  void settle_http() {
    for (const std::string& text : from_.list("http.listeners")) {
      const bool tls = text.starts_with("https:");
      const auto one = parse_listener(text, tls ? "https" : "http");
      if (one) {
        out_.http.listeners.push_back({one->host, one->port, tls});
      } else {
        complain("http.listeners", one.error().message);
      }
    }
    settle_tls();
    out_.http.connections_max = size("http.max.connections");
    out_.http_followers_max = size("http.max.followers");
    out_.http.idle_timeout_ms = from_.integer("http.idle.timeout.ms");
    out_.http.body_bytes_max = size("http.body.max.bytes");
    const auto& bound = out_.http.listeners;
    out_.http_access.loopback_only =
        std::all_of(bound.begin(), bound.end(), [](const http::bind_address& at) { return is_loopback(at.host); });
    out_.http_access.tokens = read_tokens(
        from_, [this](std::string_view key, std::string_view what, const std::vector<std::string_view>& others) {
          complain(key, what, others);
        });
    if (out_.http_access.loopback_only || !out_.http_access.tokens.empty()) return;
    warn("http.listeners",
         "can be reached from other machines and there is no token, so changes over HTTP are switched off: set "
         "'http.token_file', 'http.token' or 'http.tokens', or bind to 127.0.0.1");
  }

  void settle_webhooks() {
    out_.webhooks = read_webhooks(
        from_, [this](std::string_view key, std::string_view what, const std::vector<std::string_view>& others) {
          complain(key, what, others);
        });
    const auto is_open = [](const http::webhook& hook) {
      return !hook.token.empty() && !hook.url.tls && !is_loopback(hook.url.host);
    };
    if (std::ranges::any_of(out_.webhooks.hooks, is_open)) {
      warn("webhook.urls", "sends a token without TLS: name the server with https://");
    }
  }

  /// Whether the files are good is found out when they are opened.
  void settle_tls() {
    out_.http.tls = {from_.text("http.ssl.certificate.file"), from_.text("http.ssl.key.file")};
    const auto& bound = out_.http.listeners;
    if (std::none_of(bound.begin(), bound.end(), [](const http::bind_address& at) { return at.tls; })) return;
    if (out_.http.tls.certificate.empty()) {
      complain("http.ssl.certificate.file", "must be set for a listener with https://", {"http.listeners"});
    }
    if (out_.http.tls.key.empty()) {
      complain("http.ssl.key.file", "must be set for a listener with https://", {"http.listeners"});
    }
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
    out_.coordinator.strict_kafka = from_.flag("strict.kafka");
    broker.assignors = from_.list("group.streams.assignors");
    if (broker.assignors.empty()) {
      broker.assignors = out_.coordinator.strict_kafka ? std::vector<std::string>{"sticky"}
                                                       : std::vector<std::string>{"highly_available", "sticky"};
    }
    broker.assignor_offload_enable = from_.flag("group.streams.assignor.offload.enable");
    broker.assignor_failover_slack = int32("group.streams.assignor.failover.slack");
    broker.assignor_keep_old_standbys = from_.flag("group.streams.assignor.keep.old.standbys");
    out_.coordinator.threads = size("actor.threads");
    out_.coordinator.answer_timeout_ms = from_.integer("offsets.commit.timeout.ms");
    settle_timeline();
    settle_consumers();
    settle_embedded_groups();
    check_groups();
  }

  void settle_timeline() {
    out_.coordinator.timeline.events_max = size("timeline.events.max");
    out_.coordinator.timeline.retention_ms = from_.integer("timeline.retention.ms");
    out_.coordinator.loops.count = int32("timeline.loop.count");
    out_.coordinator.loops.window_ms = from_.integer("timeline.loop.window.ms");
  }

  void settle_consumers() {
    group::consumer_options& consumer = out_.coordinator.consumer;
    consumer.heartbeat_interval_ms = int32("group.consumer.heartbeat.interval.ms");
    consumer.session_timeout_ms = int32("group.consumer.session.timeout.ms");
    consumer.assignment_interval_ms = int32("group.consumer.assignment.interval.ms");
    consumer.max_size = int32("group.consumer.max.size");
    if (consumer.heartbeat_interval_ms >= consumer.session_timeout_ms) {
      complain("group.consumer.heartbeat.interval.ms", "must be below 'group.consumer.session.timeout.ms'",
               {"group.consumer.session.timeout.ms"});
    }
  }

  void check_groups() {
    for (const auto& [key, others, what] : out_.coordinator.broker.mistakes()) {
      complain(key, what, {others.begin(), others.end()});
    }
    const auto known = assignor::registry::built_in();
    for (const std::string& name : out_.coordinator.broker.assignors) {
      const auto found = known.find(name);
      if (!found) complain("group.streams.assignors", "names what does not exist: " + found.error().message);
    }
  }

  /// In gateway mode offsets and their retention are the upstream's.
  void settle_embedded_groups() {
    constexpr std::int64_t minute_ms = 60'000;
    if (out_.mode != run_mode::embedded) return;
    actors::coordinator_options& options = out_.coordinator;
    options.keeps_descriptions = from_.flag("group.streams.topology.description.enable") && !options.strict_kafka;
    options.retention.retention_ms = from_.integer("offsets.retention.minutes") * minute_ms;
    options.retention.from_empty = from_.flag("offsets.retention.from.empty") && !options.strict_kafka;
    options.retention.strict_kafka = options.strict_kafka;
    options.clean_up_interval_ms = from_.integer("offsets.retention.check.interval.ms");
  }

  void settle_log() {
    const std::string& level = from_.text("log.level");
    if (level == "debug") out_.log_level = log::level::debug;
    if (level == "warn") out_.log_level = log::level::warn;
    if (level == "error") out_.log_level = log::level::error;
    out_.log_format = from_.text("log.format") == "json" ? log::format::json : log::format::text;
  }

  /// Nothing if one of them is a mistake.
  std::optional<std::vector<address>> addresses(std::string_view key, std::string_view scheme) {
    std::vector<address> out;
    bool good = true;
    for (const std::string& text : from_.list(key)) {
      const auto parsed = parse_listener(text, scheme);
      if (parsed) {
        out.push_back(*parsed);
      } else {
        complain(key, parsed.error().message);
        good = false;
      }
    }
    return good ? std::optional(std::move(out)) : std::nullopt;
  }

  [[nodiscard]] std::int32_t int32(std::string_view key) const { return static_cast<std::int32_t>(from_.integer(key)); }
  [[nodiscard]] std::size_t size(std::string_view key) const { return static_cast<std::size_t>(from_.integer(key)); }

  /// `others` are keys that the mistake is also made of: it stands where the first of all that was set stands, and is
  /// not told while one of them is a mistake by itself.
  void complain(std::string_view key, std::string_view what, const std::vector<std::string_view>& others = {}) {
    const setting* stands = &from_.at(key);
    bool faulty = stands->faulty;
    for (const std::string_view other : others) {
      if (stands->place.empty()) stands = &from_.at(other);
      faulty = faulty || from_.at(other).faulty;
    }
    if (!faulty) mistakes_.push_back({stands->from, stands->line, told_at(*stands, key, what)});
  }

  void warn(std::string_view key, std::string_view what) { out_.warnings.push_back(told_at(from_.at(key), key, what)); }

  static std::string told_at(const setting& stands, std::string_view key, std::string_view what) {
    return fmt::format("{}{}'{}' {}", stands.place, stands.place.empty() ? "" : ": ", key, what);
  }

  const config& from_;
  settings out_;
  std::vector<config_mistake>& mistakes_;
};

}  // namespace

result<settings> settle(const config& from) {
  std::vector<config_mistake> mistakes;
  settings made = settler(from, mistakes).settle();
  if (!mistakes.empty()) return fail(in_order(std::move(mistakes)));
  return made;
}

result<configured> configure(const config_sources& from) {
  std::vector<config_mistake> mistakes;
  configured out;
  out.values = config::read(from, mistakes);
  out.made = settler(out.values, mistakes).settle();
  if (!mistakes.empty()) return fail(in_order(std::move(mistakes)));
  return out;
}

std::vector<std::string> configured::warnings() const {
  std::vector<std::string> all = values.warnings();
  all.insert(all.end(), made.warnings.begin(), made.warnings.end());
  return all;
}

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
  static constexpr std::string_view never = " /[]@?#\t";
  if (host.find_first_of(never) != std::string_view::npos) return wrong();
  out.host = host;
  return out;
}

bool is_loopback(std::string_view host) noexcept {
  boost::system::error_code no_address;
  const auto literal = boost::asio::ip::make_address(host, no_address);
  return no_address ? host == "localhost" : literal.is_loopback();
}

bool is_every_interface(std::string_view host) noexcept {
  boost::system::error_code no_address;
  const auto literal = boost::asio::ip::make_address(host, no_address);
  return no_address ? host.empty() : literal.is_unspecified();
}

}  // namespace weir::cli
