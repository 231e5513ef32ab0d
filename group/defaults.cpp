#include "group/defaults.hpp"

#include <algorithm>
#include <utility>

namespace weir::group {

broker_config with_defaults(const overrides& set, const broker_config& configured) {
  if (set.empty()) return configured;
  auto inherited = effective(set, configured);
  auto out = configured;
  out.session_timeout_ms = inherited.session_timeout_ms;
  out.heartbeat_interval_ms = inherited.heartbeat_interval_ms;
  out.num_standby_replicas = inherited.num_standby_replicas;
  out.num_warmup_replicas = inherited.num_warmup_replicas;
  out.initial_rebalance_delay_ms = inherited.initial_rebalance_delay_ms;
  out.assignment_interval_ms = inherited.assignment_interval_ms;
  out.task_offset_interval_ms = inherited.task_offset_interval_ms;
  out.acceptable_recovery_lag = inherited.acceptable_recovery_lag;
  out.rack_aware_assignment_tags = std::move(inherited.rack_aware_assignment_tags);
  out.assignor_offload_enable = inherited.assignor_offload_enable;
  const auto first = std::ranges::find(out.assignors, inherited.assignor_name);
  if (first != out.assignors.end()) std::rotate(out.assignors.begin(), first, std::next(first));
  return out;
}

std::vector<field_change> differences(const overrides& before, const overrides& after) {
  std::vector<field_change> out;
  const auto value_in = [](const overrides& set, const std::string& name) {
    const auto found = set.find(name);
    return found == set.end() ? std::string("none") : found->second;
  };
  overrides names = before;
  names.insert(after.begin(), after.end());
  for (const auto& [name, value] : names) {
    auto was = value_in(before, name);
    auto is = value_in(after, name);
    if (was != is) out.push_back({name, std::move(was), std::move(is)});
  }
  return out;
}

}  // namespace weir::group
