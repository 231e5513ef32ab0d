#include "server/handlers/config_resources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace weir::server::handlers {
namespace {

std::string text_of(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, ",")); }
std::string text_of(bool flag) { return flag ? "true" : "false"; }
std::string text_of(std::int32_t number) { return std::to_string(number); }
std::string text_of(std::int64_t number) { return std::to_string(number); }

config_type type_of(const std::vector<std::string>& /*list*/) { return config_type::list; }
config_type type_of(bool /*flag*/) { return config_type::boolean; }
config_type type_of(std::int32_t /*number*/) { return config_type::int32; }
config_type type_of(std::int64_t /*number*/) { return config_type::int64; }

template <auto Member>
broker_setting setting(std::string_view name, const group::broker_config& broker) {
  static const group::broker_config standard;
  return {name, type_of(standard.*Member), text_of(broker.*Member), broker.*Member != standard.*Member};
}

}  // namespace

std::vector<broker_setting> broker_settings(const group::broker_config& broker) {
  using b = group::broker_config;
  return {
      setting<&b::acceptable_recovery_lag>("group.streams.acceptable.recovery.lag", broker),
      setting<&b::assignment_interval_ms>("group.streams.assignment.interval.ms", broker),
      setting<&b::assignor_offload_enable>("group.streams.assignor.offload.enable", broker),
      setting<&b::assignors>("group.streams.assignors", broker),
      setting<&b::heartbeat_interval_ms>("group.streams.heartbeat.interval.ms", broker),
      setting<&b::initial_rebalance_delay_ms>("group.streams.initial.rebalance.delay.ms", broker),
      setting<&b::max_assignment_interval_ms>("group.streams.max.assignment.interval.ms", broker),
      setting<&b::max_heartbeat_interval_ms>("group.streams.max.heartbeat.interval.ms", broker),
      setting<&b::max_session_timeout_ms>("group.streams.max.session.timeout.ms", broker),
      setting<&b::max_size>("group.streams.max.size", broker),
      setting<&b::max_standby_replicas>("group.streams.max.standby.replicas", broker),
      setting<&b::max_warmup_replicas>("group.streams.max.warmup.replicas", broker),
      setting<&b::min_assignment_interval_ms>("group.streams.min.assignment.interval.ms", broker),
      setting<&b::min_heartbeat_interval_ms>("group.streams.min.heartbeat.interval.ms", broker),
      setting<&b::min_session_timeout_ms>("group.streams.min.session.timeout.ms", broker),
      setting<&b::min_task_offset_interval_ms>("group.streams.min.task.offset.interval.ms", broker),
      setting<&b::num_standby_replicas>("group.streams.num.standby.replicas", broker),
      setting<&b::num_warmup_replicas>("group.streams.num.warmup.replicas", broker),
      setting<&b::rack_aware_assignment_tags>("group.streams.rack.aware.assignment.tags", broker),
      setting<&b::session_timeout_ms>("group.streams.session.timeout.ms", broker),
      setting<&b::task_offset_interval_ms>("group.streams.task.offset.interval.ms", broker),
  };
}

config_type type_of_group_setting(const group::group_config_key& key) noexcept {
  if (key.is_list) return config_type::list;
  if (key.name.ends_with(".enable")) return config_type::boolean;
  if (key.name.ends_with(".name")) return config_type::string;
  return key.name.ends_with(".lag") ? config_type::int64 : config_type::int32;
}

}  // namespace weir::server::handlers
