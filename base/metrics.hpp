// Metrics: counters, gauges and histograms that any thread may change without a lock, declared in one place (`set`) and
// printed in Prometheus' text format. docs/decisions/001-metrics.md says why they are our own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::metrics {

/// Only grows.
class counter {
 public:
  static constexpr std::string_view kind = "counter";
  void add(std::uint64_t amount = 1) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  /// Takes over a total that somebody else counts. One thread at a time, and not together with add().
  void raise_to(std::uint64_t total) noexcept {
    if (total > value()) value_.store(total, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Goes up and down.
class gauge {
 public:
  static constexpr std::string_view kind = "gauge";
  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t amount) noexcept { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// Which of a histogram's parts the calling thread adds to, below `parts`: threads that observe the same thing at the
/// same time seldom write to the same cache line.
[[nodiscard]] std::size_t part_of_this_thread(std::size_t parts) noexcept;

/// What a histogram measures: its upper bounds, ascending (above the last is one more bucket, +Inf), and how many of
/// its units make one of the unit that is printed.
struct microseconds {
  static constexpr std::array<std::uint64_t, 18> bounds = {10,      25,      50,        100,       250,     500,
                                                           1'000,   2'500,   5'000,     10'000,    25'000,  50'000,
                                                           100'000, 250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};
  static constexpr double printed = 1e6;
};
/// Numbers of things, or bytes.
struct amounts {
  static constexpr std::array<std::uint64_t, 11> bounds = {1,     4,      16,     64,      256,      1'024,
                                                           4'096, 16'384, 65'536, 262'144, 1'048'576};
  static constexpr double printed = 1;
};

/// Counts observations by size. No lock, no allocation: a few relaxed additions.
template <class Unit>
class basic_histogram {
 public:
  static constexpr std::string_view kind = "histogram";
  using unit = Unit;

  void observe(std::uint64_t value) noexcept {
    const auto bucket = std::lower_bound(Unit::bounds.begin(), Unit::bounds.end(), value) - Unit::bounds.begin();
    part& mine = parts_[part_of_this_thread(parts_.size())];
    mine.buckets[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    mine.sum.fetch_add(value, std::memory_order_relaxed);
  }
  /// Observations in bucket `index` alone (not cumulated), 0 .. bounds.size().
  [[nodiscard]] std::uint64_t in_bucket(std::size_t index) const noexcept {
    std::uint64_t total = 0;
    for (const part& one : parts_) total += one.buckets[index].load(std::memory_order_relaxed);
    return total;
  }
  [[nodiscard]] std::uint64_t sum() const noexcept {
    std::uint64_t total = 0;
    for (const part& one : parts_) total += one.sum.load(std::memory_order_relaxed);
    return total;
  }

 private:
  struct alignas(64) part {
    std::array<std::atomic<std::uint64_t>, Unit::bounds.size() + 1> buckets{};
    std::atomic<std::uint64_t> sum{0};
  };
  std::array<part, 8> parts_{};
};

/// Durations, from a heartbeat to a slow disk; printed in seconds.
using histogram = basic_histogram<microseconds>;
using amount_histogram = basic_histogram<amounts>;

/// Time since `began` for histogram::observe(), at least 0.
[[nodiscard]] inline std::uint64_t microseconds_since(std::chrono::steady_clock::time_point began) noexcept {
  const auto took = std::chrono::steady_clock::now() - began;
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  return whole > 0 ? static_cast<std::uint64_t>(whole) : 0;
}

/// One metric name with its label names; one Metric for each combination of label values seen. Finding one takes a
/// lock: whoever counts on the heartbeat path keeps the reference, which stays valid as long as the family.
template <class Metric>
class family {
 public:
  using label_values = std::vector<std::string>;

  family(std::string_view name, std::string_view help, std::initializer_list<std::string_view> labels = {})
      : name_(name), help_(help), labels_(labels.begin(), labels.end()) {}

  /// values: one for each label, in the order of declaration.
  Metric& with(std::initializer_list<std::string_view> values) {
    const std::lock_guard lock(mutex_);
    auto& found = series_[label_values(values.begin(), values.end())];
    if (!found) found = std::make_unique<Metric>();
    return *found;
  }
  /// The one metric of a family without labels.
  Metric& get() { return with({}); }

  template <class Visit>
  void each(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [values, metric] : series_) visit(values, *metric);
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& help() const noexcept { return help_; }
  [[nodiscard]] const std::vector<std::string>& labels() const noexcept { return labels_; }

 private:
  std::string name_;
  std::string help_;
  std::vector<std::string> labels_;
  mutable std::mutex mutex_;
  std::map<label_values, std::unique_ptr<Metric>> series_;
};

/// Every metric Weir has. None has a label for group or member: those have no bound.
struct set {
  family<gauge> build_info{"weir_build_info", "Always 1; the version is the label.", {"version"}};
  family<gauge> ready{"weir_ready", "1 while /readyz is green."};
  family<counter> requests{"weir_requests_total", "Kafka requests answered, by API and error code.", {"api", "code"}};
  family<gauge> connections{"weir_connections", "Open connections, by listener.", {"listener"}};
  family<gauge> requests_in_flight{"weir_requests_in_flight", "Kafka requests read and not yet answered."};
  family<counter> protocol_errors{"weir_protocol_errors_total", "Connections closed for what the client sent."};
  family<counter> limit_rejections{
      "weir_limit_rejections_total", "Connections and requests turned away or put off by a limit.", {"limit"}};
  family<counter> accept_failures{
      "weir_accept_failures_total", "Connections that could not be accepted: no file descriptor left.", {"listener"}};
  family<gauge> groups{"weir_groups", "Streams groups, by state.", {"state"}};
  family<gauge> groups_by_type{"weir_groups_by_type", "Groups of every type.", {"type"}};
  family<gauge> members{"weir_members", "Members of all streams groups."};
  family<counter> epoch_bumps{"weir_group_epoch_bumps_total", "Group epoch bumps, by cause.", {"cause"}};
  family<counter> assignments{"weir_assignments_total", "New target assignments."};
  family<counter> rebalance_loops{"weir_rebalance_loops_total", "Alarms: a cause came again and again in one group."};
  family<counter> tasks_moved{"weir_tasks_moved_total", "Active tasks that a new target gives to another member."};
  family<histogram> assignor_time{
      "weir_assignor_seconds", "How long computing a target took, by assignor.", {"assignor"}};
  family<histogram> rebalance_time{
      "weir_rebalance_seconds", "From the epoch bump that unsettled a group until it was stable, or empty."};
  family<histogram> heartbeat_time{
      "weir_heartbeat_seconds", "From a decoded StreamsGroupHeartbeat to its answer, waiting for the log included."};
  family<histogram> queue_time{
      "weir_request_queue_seconds", "How long a request waited until its group looked at it.", {"api"}};
  family<histogram> processing_time{
      "weir_request_processing_seconds",
      "How long a group worked on one message, by what sent it; other: wake-ups and outcomes of the log too.",
      {"api"}};
  family<gauge> actor_threads{"weir_actor_threads", "Threads that work for groups."};
  family<gauge> answers_held{"weir_answers_held", "Answers that wait for their records to be durable."};
  family<histogram> held_time{"weir_answer_held_seconds", "How long an answer waited for its records to be durable."};
  family<counter> answers_timed_out{"weir_answers_timed_out_total", "Answers refused because the log took too long."};
  family<counter> rollbacks{"weir_group_rollbacks_total", "Groups rebuilt from the log because a write failed."};
  family<counter> replays{"weir_group_replays_total", "Groups built from the log, those of the start included."};
  family<counter> respawns{"weir_group_respawns_total", "Group actors that ended by a fault and were replaced."};
  family<histogram> load_time{"weir_load_seconds", "How long reading all groups from the log took at the start."};
  family<counter> offset_commits{"weir_offset_commits_total", "Partitions whose offsets were committed."};
  family<counter> offset_expirations{"weir_offset_expirations_total", "Offsets removed because they were too old."};
  family<counter> offset_deletions{"weir_offset_deletions_total", "Offsets removed because somebody asked for it."};
  family<counter> warm_ups_stuck{"weir_warm_ups_stuck_total", "Times that a warm-up task did not get on."};
  family<counter> log_appends{"weir_log_appends_total", "Appends handed to the log."};
  family<gauge> log_queue_records{"weir_log_queue_records", "Appends that wait to be written to the log."};
  family<histogram> log_linger{"weir_log_linger_seconds", "How long the oldest append of a batch waited for it."};
  family<histogram> log_flush{"weir_log_flush_seconds", "How long the log took to write a batch and make it durable."};
  family<amount_histogram> log_batch_appends{"weir_log_batch_appends", "Appends that were written as one batch."};
  family<amount_histogram> log_batch_bytes{"weir_log_batch_bytes", "Bytes of keys and values of one batch."};
  family<gauge> storage_bytes{"weir_storage_bytes", "Size of the data file."};
  family<counter> webhook_events{
      "weir_webhook_events_total", "Events for a web hook, by what became of them.", {"hook", "outcome"}};
  family<counter> webhook_failures{
      "weir_webhook_attempts_failed_total", "Attempts to deliver an event that its server did not take.", {"hook"}};
  family<gauge> webhook_queue{"weir_webhook_queue_events", "Events that wait for a web hook.", {"hook"}};
  family<counter> http_requests{"weir_http_requests_total", "Requests to the HTTP listener, by status code.", {"code"}};
};

/// Counts answered Kafka requests in set::requests. The first success of an API finds its counter under a lock, later
/// ones need none; errors always do.
class request_counts {
 public:
  explicit request_counts(family<counter>& into) : into_(into) {}
  /// key: Kafka's number of the API; api: its name; code: of the error, 0 = none. Any thread.
  void count(std::int16_t key, std::string_view api, std::int16_t code);

 private:
  family<counter>& into_;
  std::array<std::atomic<counter*>, 128> successes_{};
};

/// The metrics of this process; lives until it ends.
[[nodiscard]] set& all();
/// request_counts over all().requests.
[[nodiscard]] request_counts& requests();

/// Prometheus' text format 0.0.4 of one set; families without any series are left out.
[[nodiscard]] std::string render(const set& metrics);
/// The `process_*` metrics that other exporters have too: CPU, memory, threads, files, start time; read from /proc.
[[nodiscard]] std::string render_process();

}  // namespace weir::metrics
