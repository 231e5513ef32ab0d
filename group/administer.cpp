#include "group/administer.hpp"

#include <algorithm>
#include <cstdint>

#include "group/heartbeat/target_now.hpp"

namespace weir::group {
namespace {

bool can_compute_now(const streams_group& group, const world& world);

}  // namespace

/// FNV-1a over names and values, each with its end.
std::string config_tag(const overrides& set) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    hash = (hash ^ 0xffU) * 0x100000001b3U;
  };
  for (const auto& [name, value] : set) {
    add(name);
    add(value);
  }
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string tag;
  for (int shift = 60; shift >= 0; shift -= 4) tag.push_back(digits[(hash >> static_cast<unsigned>(shift)) & 15U]);
  return tag;
}

protocol::kafka_result<overrides> overrides_after(const overrides& now, const config_change& change,
                                                  const broker_config& broker) {
  using protocol::error_code;
  if (change.only_if && *change.only_if != "*" && *change.only_if != config_tag(now)) {
    return protocol::refuse(error_code::invalid_update_version, "the settings have been changed since they were read");
  }
  overrides next = change.replaces ? overrides() : now;
  for (const auto& [name, value] : change.values) {
    if (value) {
      next.insert_or_assign(name, *value);
      continue;
    }
    const auto keys = group_config_keys();
    if (std::ranges::none_of(keys, [&](const auto& key) { return key.name == name; })) {
      return protocol::refuse(error_code::invalid_config, "unknown group config " + name);
    }
    next.erase(name);
  }
  if (auto checked = check(next, broker); !checked) {
    return protocol::refuse(error_code::invalid_config, checked.error().message);
  }
  return next;
}

change_outcome rebalance(const streams_group& group, const world& world, cause why, std::string detail) {
  change_outcome outcome;
  if (group.kind != group_kind::streams || group.members.empty()) return outcome;
  auto metadata = group.metadata;
  ++metadata.epoch;
  metadata.assignment_configs = world.config.assignment_configs();

  event e;
  e.time_ms = world.now_ms;
  e.why = why;
  e.group_epoch = metadata.epoch;
  e.assignment_epoch = group.target_info.assignment_epoch;
  e.detail = std::move(detail);
  outcome.events.push_back(std::move(e));
  outcome.records.push_back(group_metadata_record{.value = metadata});
  if (!can_compute_now(group, world)) return outcome;
  add_target(group, {.configured = group.soft.configured.get(),
                     .assignment_configs = metadata.assignment_configs,
                     .group_epoch = metadata.epoch},
             world, outcome);
  outcome.events.front().assignment_epoch = outcome.events.back().assignment_epoch;
  return outcome;
}

std::string assignment_differences(const group_config& before, const group_config& after) {
  static constexpr std::string_view names[] = {"streams.assignor.name", "streams.num.standby.replicas",
                                               "streams.num.warmup.replicas", "streams.acceptable.recovery.lag",
                                               "streams.rack.aware.assignment.tags"};
  std::string words;
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("none") : value; };
  for (const auto name : names) {
    const auto was = value_text(before, name);
    const auto is = value_text(after, name);
    if (was == is) continue;
    words += (words.empty() ? "" : "; ") + std::string(name) + " " + shown(was) + " -> " + shown(is);
  }
  return words;
}

change_outcome follow_config(const streams_group& group, const world& world, const group_config& before) {
  auto detail = assignment_differences(before, world.config);
  if (detail.empty()) return {};
  return rebalance(group, world, cause::assignment_config_changed, std::move(detail));
}

std::optional<refusal> check_drain(const streams_group& group, const group_config& config,
                                   const std::string& process_id) {
  using protocol::error_code;
  bool is_here = false;
  bool others = false;
  for (const auto& [id, member] : group.members) {
    if (member.current.is_away()) continue;
    const auto& of = member.metadata.process_id;
    is_here = is_here || of == process_id;
    others = others || (of != process_id && !config.drained_processes.contains(of));
  }
  if (!is_here) return refusal{error_code::unknown_member_id, "no live member has process id " + process_id};
  if (!others) return refusal{error_code::invalid_request, "no other process is left that could take the tasks"};
  return std::nullopt;
}

std::set<std::string, std::less<>> still_drained(const streams_group& group, const group_config& config) {
  std::set<std::string, std::less<>> remaining;
  for (const auto& [id, member] : group.members) {
    const auto& of = member.metadata.process_id;
    if (!member.current.is_away() && config.drained_processes.contains(of)) remaining.insert(of);
  }
  return remaining;
}

namespace {

bool can_compute_now(const streams_group& group, const world& world) {
  const auto delay = group.soft.initial_delay_deadline_ms;
  const bool is_delayed = delay && *delay > world.now_ms;
  return !is_delayed && group.soft.configured != nullptr && !is_within_interval(group, world);
}

}  // namespace
}  // namespace weir::group
