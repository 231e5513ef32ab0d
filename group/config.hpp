// Settings of a streams group: the broker's defaults and bounds (`group.streams.*`, spec 01, 10.1) and the overrides of
// one group (`streams.*`, 10.2).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::group {

/// One bound of 10.1 that does not hold.
struct broker_mistake {
  std::string key;                  ///< `group.streams.session.timeout.ms`
  std::vector<std::string> others;  ///< keys that the bound is made of
  std::string what;                 ///< with the value and the range
};

/// Broker level. Times in milliseconds. Valid only if check() says so.
struct broker_config {
  std::int32_t session_timeout_ms = 45'000;
  std::int32_t min_session_timeout_ms = 45'000;
  std::int32_t max_session_timeout_ms = 60'000;
  std::int32_t heartbeat_interval_ms = 5'000;
  std::int32_t min_heartbeat_interval_ms = 5'000;
  std::int32_t max_heartbeat_interval_ms = 15'000;
  std::int32_t max_size = 2'147'483'647;
  std::int32_t num_standby_replicas = 0;
  std::int32_t max_standby_replicas = 2;
  std::int32_t num_warmup_replicas = 2;
  std::int32_t max_warmup_replicas = 20;
  std::int32_t initial_rebalance_delay_ms = 3'000;
  std::int32_t assignment_interval_ms = 1'000;
  std::int32_t min_assignment_interval_ms = 0;
  std::int32_t max_assignment_interval_ms = 15'000;
  std::int32_t task_offset_interval_ms = 60'000;
  std::int32_t min_task_offset_interval_ms = 15'000;
  std::int64_t acceptable_recovery_lag = 10'000;
  std::vector<std::string> rack_aware_assignment_tags;
  std::vector<std::string> assignors = {"sticky"};
  bool assignor_offload_enable = true;
  std::int32_t assignor_failover_slack = 0;    ///< Weir's own, as is the next one
  bool assignor_keep_old_standbys = false;

  /// Every bound of 10.1. Error names the key, the value and the range: the first of mistakes().
  [[nodiscard]] result<void> check() const;
  [[nodiscard]] std::vector<broker_mistake> mistakes() const;
};

/// Processes that shall be given no tasks as long as others can have them: process id -> the members that it had when
/// it was marked. An administrator's mark, no override.
using drain_marks = std::map<std::string, std::set<std::string>, std::less<>>;

/// What a group runs with: overrides where set, else the broker's values.
struct group_config {
  std::int32_t session_timeout_ms = 45'000;
  std::int32_t heartbeat_interval_ms = 5'000;
  std::int32_t num_standby_replicas = 0;
  std::int32_t num_warmup_replicas = 2;
  std::int32_t initial_rebalance_delay_ms = 3'000;
  std::int32_t assignment_interval_ms = 1'000;
  std::int32_t task_offset_interval_ms = 60'000;
  std::int64_t acceptable_recovery_lag = 10'000;
  std::vector<std::string> rack_aware_assignment_tags;
  std::string assignor_name;  ///< the broker's first, unless the group names another
  bool assignor_offload_enable = true;
  std::int32_t assignor_failover_slack = 0;  ///< the broker's, as is the next one
  bool assignor_keep_old_standbys = false;
  drain_marks drained_processes;

  /// The set compared for B5 (spec 01, 3): standby count, and the tags if there are any.
  [[nodiscard]] std::map<std::string, std::string> assignment_configs() const;
  /// `recorded == assignment_configs()`, without building it: asked at every heartbeat.
  [[nodiscard]] bool matches(const std::map<std::string, std::string>& recorded) const noexcept;
};

/// Overrides of one group by full name (`streams.session.timeout.ms`).
using overrides = std::map<std::string, std::string, std::less<>>;

/// One settable name of 10.2.
struct group_config_key {
  std::string_view name;         ///< `streams.session.timeout.ms`
  std::string_view broker_name;  ///< `group.streams.session.timeout.ms`
  bool is_list;                  ///< APPEND and SUBTRACT apply
  bool is_listed = true;         ///< false: DescribeConfigs shows it only if the group overrides it, as in Kafka 4.4
};
[[nodiscard]] std::span<const group_config_key> group_config_keys() noexcept;

/// Checks a whole set of overrides as an alter request does (10.2). Error: unknown name, unparsable, out of range;
/// it names the key and the range.
[[nodiscard]] result<void> check(const overrides& set, const broker_config& broker);

/// Effective values. Stored overrides outside bounds that have changed since are clamped (10.2).
[[nodiscard]] group_config effective(const overrides& set, const broker_config& broker);

/// The effective value of one key as text, as DescribeConfigs prints it.
[[nodiscard]] std::string value_text(const group_config& config, std::string_view name);

}  // namespace weir::group
