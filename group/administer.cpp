#include "group/administer.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "group/heartbeat/target_now.hpp"

namespace weir::group {
namespace {

constexpr std::string_view assignment_settings[] = {
    "streams.assignor.name", "streams.num.standby.replicas", "streams.num.warmup.replicas",
    "streams.acceptable.recovery.lag", "streams.rack.aware.assignment.tags"};

bool can_compute_now(const streams_group& group, const world& world);
bool is_told_already(std::string_view name, const group_config& before, const group_config& after);

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

std::vector<field_change> assignment_changes(const group_config& before, const group_config& after) {
  std::vector<field_change> changes;
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("none") : value; };
  for (const auto name : assignment_settings) {
    const auto was = value_text(before, name);
    const auto is = value_text(after, name);
    if (was != is) changes.push_back({std::string(name), shown(was), shown(is)});
  }
  return changes;
}

std::string assignment_differences(const group_config& before, const group_config& after) {
  return in_words(assignment_changes(before, after));
}

change_outcome follow_config(const streams_group& group, const world& world, const group_config& before) {
  auto changes = assignment_changes(before, world.config);
  if (changes.empty()) return {};
  auto outcome = rebalance(group, world, cause::assignment_config_changed, in_words(changes));
  if (!outcome.events.empty()) outcome.events.front().changes = std::move(changes);
  return outcome;
}

std::optional<event> config_event(const streams_group& group, const world& world, const overrides& before,
                                  const overrides& after, const group_config* covered) {
  event e;
  for (const auto& key : group_config_keys()) {
    const auto was = before.find(key.name);
    const auto is = after.find(key.name);
    const auto shown = [](const overrides& of, const auto& entry) {
      return entry == of.end() ? std::string("not set") : entry->second.empty() ? std::string("none") : entry->second;
    };
    field_change change{std::string(key.name), shown(before, was), shown(after, is)};
    if (change.before == change.after) continue;
    if (covered != nullptr && is_told_already(key.name, *covered, world.config)) continue;
    if (e.changes.size() < changes_max) e.changes.push_back(std::move(change));
  }
  if (e.changes.empty()) return std::nullopt;
  e.time_ms = world.now_ms;
  e.why = cause::config_changed;
  e.group_epoch = group.metadata.epoch;
  e.assignment_epoch = group.target_info.assignment_epoch;
  e.detail = in_words(e.changes);
  return e;
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

drain_marks::value_type mark_of(const streams_group& group, const std::string& process_id) {
  std::set<std::string> members;
  for (const auto& [id, member] : group.members) {
    if (member.metadata.process_id == process_id) members.insert(id);
  }
  return {process_id, std::move(members)};
}

drain_marks still_drained(const streams_group& group, const group_config& config) {
  drain_marks remaining = config.drained_processes;
  std::erase_if(remaining, [&](const auto& mark) {
    return std::ranges::none_of(mark.second, [&](const auto& id) { return group.members.contains(id); });
  });
  return remaining;
}

std::string back_from_drain(const streams_group& group, const group_config& config, const drain_marks& remaining) {
  std::set<std::string_view> back;
  for (const auto& [id, member] : group.members) {
    const auto& of = member.metadata.process_id;
    if (config.drained_processes.contains(of) && !remaining.contains(of)) back.insert(of);
  }
  std::string words;
  for (const auto process_id : back) {
    words += (words.empty() ? "" : "; ") + std::string("process ") + std::string(process_id) +
             " has started again and is no longer drained";
  }
  return words;
}

namespace {

bool is_told_already(std::string_view name, const group_config& before, const group_config& after) {
  return std::ranges::find(assignment_settings, name) != std::end(assignment_settings) &&
         value_text(before, name) != value_text(after, name);
}

bool can_compute_now(const streams_group& group, const world& world) {
  const auto delay = group.soft.initial_delay_deadline_ms;
  const bool is_delayed = delay && *delay > world.now_ms;
  const bool is_configured = group.soft.configured != nullptr && world.now_ms < group.soft.refresh_deadline_ms &&
                             group.metadata.epoch >= group.soft.refresh_epoch;
  return !is_delayed && is_configured && !is_within_interval(group, world);
}

}  // namespace
}  // namespace weir::group
