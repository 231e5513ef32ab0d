#include "cli/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/random.hpp"
#include "cli/group_port.hpp"
#include "cli/topic_port.hpp"
#include "gateway/gateway.hpp"
#include "http/admin_api.hpp"
#include "http/json_reader.hpp"
#include "server/catalogue.hpp"
#include "server/embedded.hpp"
#include "server/transactions.hpp"
#include "storage/lmdb_log.hpp"

namespace weir::cli {
namespace {

/// How long `weir ready` waits for the first answer of the upstream cluster.
constexpr std::int64_t upstream_wait_ms = 2'000;
/// The actors get this long to end even if closing the connections took all the time there was.
constexpr std::int64_t stop_at_least_ms = 500;
/// For questions that are still being worked out when all else has ended, of what is left of the time.
constexpr std::int64_t questions_wait_ms = 500;

void take_over(const actors::coordinator_counters& from, weir::metrics::set& metrics) {
  for (std::size_t i = 0; i < from.events.size(); ++i) {
    const auto why = static_cast<group::cause>(i);
    if (!group::is_of_rebalance(why)) continue;
    auto& total =
        why == group::cause::target_computed ? metrics.assignments.get() : metrics.epoch_bumps.with({group::name(why)});
    total.raise_to(from.of(why));
  }
  metrics.answers_held.get().set(static_cast<std::int64_t>(from.held_now.load()));
  metrics.answers_timed_out.get().raise_to(from.answers_timed_out);
  metrics.rollbacks.get().raise_to(from.rollbacks);
  metrics.rebalance_loops.get().raise_to(from.rebalance_loops);
  metrics.warm_ups_stuck.get().raise_to(from.warm_ups_stuck);
  metrics.log_appends.get().raise_to(from.appends);
  metrics.replays.get().raise_to(from.replays);
  metrics.respawns.get().raise_to(from.respawns);
  metrics.offset_commits.get().raise_to(from.commits);
  metrics.offset_expirations.get().raise_to(from.expirations);
  metrics.offset_deletions.get().raise_to(from.deletions);
  metrics.tasks_moved.get().raise_to(from.tasks_moved);
}

class whole_node final : public node {
 public:
  whole_node(const settings& with, const config& from) : settings_(with), config_(from) {}
  ~whole_node() override { whole_node::stop(); }

  result<void> start() {
    metrics_.build_info.with({version()}).set(1);
    metrics_.actor_threads.get().set(static_cast<std::int64_t>(settings_.coordinator.threads));
    for (const auto* listener : {"kafka", "http"}) metrics_.accept_failures.with({listener});
    if (auto opened = open_log(); !opened) return opened;
    auto started = settings_.mode == run_mode::gateway ? start_gateway() : start_embedded();
    if (started) started = listen();
    if (!started) stop();
    if (started && gateway_) gateway_->wait(upstream_wait_ms);
    return started;
  }

  void stop() override {
    if (stopping_.exchange(true)) return;
    hooks_.reset();
    deadline_ms_ = time_.now_ms() + settings_.shutdown_timeout_ms;
    if (coordinator_) coordinator_->let_go();  // the listener waits for every answer
    if (kafka_) kafka_->stop(settings_.shutdown_timeout_ms);
    if (http_) http_->stop();
    if (gateway_) gateway_->stop();
    if (producers_) producers_->stop_watching();
    if (catalogue_) catalogue_->stop_publishing();
    // What the listener took of the time is gone; held answers were waited for there.
    if (coordinator_) coordinator_->stop(std::max(stop_at_least_ms, deadline_ms_ - time_.now_ms()));
    if (cluster_) cluster_->stop();
    if (log_) log_->stop();
  }

  [[nodiscard]] bool is_quiet() override {
    const auto left_ms = deadline_ms_ - time_.now_ms();
    return !http_ || http_->is_quiet(std::clamp<std::int64_t>(left_ms, 0, questions_wait_ms));
  }

  [[nodiscard]] std::string where() const override {
    std::vector<std::string> places;
    for (std::size_t i = 0; i < settings_.kafka.listeners.size(); ++i) {
      places.push_back(fmt::format("kafka {}:{}", settings_.kafka.listeners[i].host, kafka_->port(i)));
    }
    const auto ports = http_ ? http_->ports() : std::vector<std::uint16_t>();
    for (std::size_t i = 0; i < ports.size(); ++i) {
      places.push_back(fmt::format("http {}:{}", settings_.http.listeners[i].host, ports[i]));
    }
    return fmt::format("{} mode, {}", mode_name(), http::joined(places, ", "));
  }

 private:
  result<void> open_log() {
    storage::lmdb_log_options options;
    options.environment.folder = settings_.data_dir;
    auto opened = storage::lmdb_log::open(std::move(options));
    if (!opened) return tl::unexpected(opened.error());
    log_ = *std::move(opened);
    return {};
  }

  result<void> start_embedded() {
    const auto rack = settings_.broker_rack.empty() ? std::nullopt : std::optional(settings_.broker_rack);
    auto opened = server::catalogue::open({rack}, *log_, random_, time_);
    if (!opened) return tl::unexpected(opened.error());
    catalogue_ = *std::move(opened);
    topic_port_ = make_topic_port(*catalogue_);
    if (auto started = start_coordinator(*catalogue_, catalogue_->current()); !started) return started;
    catalogue_->publish_to(*coordinator_);
    auto producers = server::transactions::open(*log_, time_);
    if (!producers) return tl::unexpected(producers.error());
    producers_ = *std::move(producers);
    producers_->watch(*coordinator_);
    server::embedded_options options{settings_.node_id, {}, rack};
    for (const address& one : settings_.advertised) options.advertised.push_back({one.host, one.port});
    sessions_ = server::make_embedded_sessions({*coordinator_, *catalogue_, *producers_}, time_, std::move(options));
    return {};
  }

  result<void> start_gateway() {
    auto upstream = gateway::parse_bootstrap(settings_.upstream_servers);
    if (!upstream) return tl::unexpected(upstream.error());
    gateway::gateway::options options;
    options.cluster.address = *std::move(upstream);
    options.cluster.poll_interval_ms = settings_.upstream_poll_interval_ms;
    options.cluster.allow_streams_groups = settings_.upstream_allow_streams_groups;
    options.cluster.frame_bytes_max = settings_.kafka.limits.frame_bytes_max;
    options.advertised = {settings_.advertised.front().host, settings_.advertised.front().port};
    cluster_ = std::make_unique<gateway::upstream_cluster>(options.cluster, time_);
    group_port_ = make_group_port(*cluster_);
    offset_port_ = make_offset_port(*cluster_);
    if (auto started = start_coordinator(*cluster_, cluster_->current()); !started) return started;
    gateway_ = std::make_unique<gateway::gateway>(std::move(options), *coordinator_, *cluster_, time_);
    gateway_->start();
    return {};
  }

  result<void> start_coordinator(actors::internal_topics& topics, metadata::image_ptr image) {
    const auto began = std::chrono::steady_clock::now();
    auto started = actors::coordinator::start(settings_.coordinator, *log_, topics, time_, std::move(image));
    metrics_.load_time.get().observe(weir::metrics::microseconds_since(began));
    if (!started) return tl::unexpected(started.error());
    coordinator_ = *std::move(started);
    return {};
  }

  result<void> listen() {
    if (auto started = start_webhooks(); !started) return started;
    if (auto listening = listen_http(); !listening) return listening;
    auto started = server::kafka_server::start(settings_.kafka, gateway_ ? gateway_->sessions() : *sessions_);
    if (!started) return tl::unexpected(started.error());
    kafka_ = *std::move(started);
    serving_ = true;
    return {};
  }

  result<void> start_webhooks() {
    if (settings_.webhooks.hooks.empty()) return {};
    auto started = http::webhooks::start(settings_.webhooks, coordinator_->feed());
    if (!started) return tl::unexpected(started.error());
    hooks_ = *std::move(started);
    return {};
  }

  result<void> listen_http() {
    if (settings_.http.listeners.empty()) return {};
    plans_ = std::make_unique<http::planner>(*coordinator_);
    auto started = http::server::start(settings_.http, http::make_router(admin_parts()));
    if (!started) return tl::unexpected(started.error());
    http_ = *std::move(started);
    return {};
  }

  http::admin_api admin_parts() {
    http::admin_api parts;
    parts.groups = coordinator_.get();
    parts.plans = plans_.get();
    parts.topics = topic_port_.get();
    parts.upstream = group_port_.get();
    parts.offsets = offset_port_.get();
    parts.metrics = &metrics_;
    parts.refresh_metrics = [this] { refresh_metrics(); };
    parts.origin_of = [this](std::string_view key) { return std::string(name(config_.at(key).from)); };
    parts.ready = ready_checks();
    if (hooks_) parts.webhooks = hooks_->watch();
    parts.access = settings_.http_access;
    parts.followers_max = std::min(settings_.http_followers_max, settings_.http.connections_max / 2);
    parts.version = version();
    parts.mode = mode_name();
    return parts;
  }

  /// Asked on the HTTP thread, which ends before anything they look at.
  std::vector<http::health_check> ready_checks() {
    std::vector<http::health_check> checks;
    checks.push_back({"serving", [this]() -> std::optional<std::string> {
                        if (stopping_) return "stopping";
                        return serving_ ? std::nullopt : std::optional<std::string>("starting");
                      }});
    checks.push_back({"log", [this] { return log_->not_writable(); }});
    if (gateway_) checks.push_back({"upstream", [this] { return gateway_->problem(); }});
    return checks;
  }

  void refresh_metrics() {
    const auto checks = ready_checks();
    const bool ready = std::none_of(checks.begin(), checks.end(), [](const auto& check) { return check.problem(); });
    metrics_.ready.get().set(ready ? 1 : 0);
    metrics_.log_queue_records.get().set(static_cast<std::int64_t>(log_->queued()));
    std::error_code gone;
    const auto bytes = std::filesystem::file_size(settings_.data_dir + "/data.mdb", gone);
    if (!gone) metrics_.storage_bytes.get().set(static_cast<std::int64_t>(bytes));
    take_over(coordinator_->counters(), metrics_);
    if (!serving_) return;
    const server::server_stats stats = kafka_->stats();
    for (std::size_t i = 0; i < stats.connections.size(); ++i) {
      const std::string listener = fmt::format("{}:{}", settings_.kafka.listeners[i].host, kafka_->port(i));
      metrics_.connections.with({listener}).set(static_cast<std::int64_t>(stats.connections[i]));
    }
    metrics_.requests_in_flight.get().set(static_cast<std::int64_t>(stats.requests_in_flight));
    metrics_.limit_rejections.with({"max.connections"}).raise_to(stats.refused);
    metrics_.limit_rejections.with({"queued.max.request.bytes"}).raise_to(stats.held_back);
    metrics_.protocol_errors.get().raise_to(stats.protocol_errors);
  }

  [[nodiscard]] std::string mode_name() const { return settings_.mode == run_mode::gateway ? "gateway" : "embedded"; }

  // In the order in which they need each other; the last one goes first.
  settings settings_;
  config config_;
  weir::metrics::set& metrics_ = weir::metrics::all();
  system_clock time_;
  system_random random_;
  std::atomic<bool> stopping_ = false;
  std::int64_t deadline_ms_ = 0;  // of stop()
  std::atomic<bool> serving_ = false;
  std::unique_ptr<storage::lmdb_log> log_;
  std::unique_ptr<server::catalogue> catalogue_;        // embedded
  std::unique_ptr<http::topic_admin> topic_port_;       // embedded
  std::unique_ptr<server::transactions> producers_;     // embedded
  std::unique_ptr<gateway::upstream_cluster> cluster_;  // gateway
  std::unique_ptr<http::upstream_groups> group_port_;   // gateway
  std::unique_ptr<http::upstream_offsets> offset_port_; // gateway
  std::unique_ptr<actors::coordinator> coordinator_;
  std::unique_ptr<gateway::gateway> gateway_;          // gateway
  std::unique_ptr<server::session_factory> sessions_;  // embedded
  std::unique_ptr<http::planner> plans_;
  std::unique_ptr<http::webhooks> hooks_;
  std::unique_ptr<http::server> http_;
  std::unique_ptr<server::kafka_server> kafka_;
};

}  // namespace

result<std::unique_ptr<node>> node::start(const settings& with, const config& from) {
  auto made = std::make_unique<whole_node>(with, from);
  const auto started = made->start();
  if (!started) return tl::unexpected(started.error());
  return made;
}

std::string version() { return WEIR_VERSION; }

}  // namespace weir::cli
