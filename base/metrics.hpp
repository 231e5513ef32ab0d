// Metrics: counters, gauges and histograms that any thread may change without a lock, declared in one place (`set`) and
// printed in Prometheus' text format. docs/decisions/001-metrics.md says why they are our own.
#pragma once

#include <array>
#include <atomic>
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

/// Durations, by fixed bounds that suit everything from a heartbeat to a slow disk.
class histogram {
 public:
  static constexpr std::string_view kind = "histogram";
  /// Upper bounds in microseconds, ascending; above the last is one more bucket, +Inf.
  static constexpr std::array<std::uint64_t, 15> bounds_us = {100,     250,     500,       1'000,     2'500,
                                                              5'000,   10'000,  25'000,    50'000,    100'000,
                                                              250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};

  void observe_us(std::uint64_t microseconds) noexcept;
  /// Observations in bucket `index` alone (not cumulated), 0 .. bounds_us.size().
  [[nodiscard]] std::uint64_t in_bucket(std::size_t index) const noexcept {
    return buckets_[index].load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum_us() const noexcept { return sum_us_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, bounds_us.size() + 1> buckets_{};
  std::atomic<std::uint64_t> sum_us_{0};
};

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
  family<counter> requests{"weir_requests_total", "Kafka requests answered, by API and error code.", {"api", "code"}};
  family<gauge> connections{"weir_connections", "Open connections, by listener.", {"listener"}};
  family<gauge> requests_in_flight{"weir_requests_in_flight", "Kafka requests read and not yet answered."};
  family<counter> protocol_errors{"weir_protocol_errors_total", "Connections closed for what the client sent."};
  family<counter> limit_rejections{
      "weir_limit_rejections_total", "Connections and requests turned away or put off by a limit.", {"limit"}};
  family<counter> accept_failures{
      "weir_accept_failures_total", "Connections that could not be accepted: no file descriptor left.", {"listener"}};
  family<gauge> groups{"weir_groups", "Streams groups, by state.", {"state"}};
  family<gauge> members{"weir_members", "Members of all streams groups."};
  family<counter> epoch_bumps{"weir_group_epoch_bumps_total", "Group epoch bumps, by cause.", {"cause"}};
  family<counter> assignments{"weir_assignments_total", "New target assignments."};
  family<gauge> answers_held{"weir_answers_held", "Answers that wait for their records to be durable."};
  family<counter> answers_timed_out{"weir_answers_timed_out_total", "Answers refused because the log took too long."};
  family<counter> rollbacks{"weir_group_rollbacks_total", "Groups rebuilt from the log because a write failed."};
  family<counter> warm_ups_stuck{"weir_warm_ups_stuck_total", "Times that a warm-up task did not get on."};
  family<counter> log_appends{"weir_log_appends_total", "Appends handed to the log."};
  family<gauge> log_queue_records{"weir_log_queue_records", "Appends that wait to be written to the log."};
  family<histogram> log_flush{"weir_log_flush_seconds", "How long the log took to write a batch and make it durable."};
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
