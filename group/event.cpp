#include "group/event.hpp"

#include <utility>

namespace weir::group {
namespace {

/// The enumerations here count from 0; `last` is the greatest.
template <class Enum>
std::optional<Enum> find_by_name(Enum last, std::string_view wanted) noexcept {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    if (name(static_cast<Enum>(i)) == wanted) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(cause why) noexcept {
  switch (why) {
    case cause::member_joined: return "member-joined";
    case cause::member_changed: return "member-changed";
    case cause::metadata_changed: return "metadata-changed";
    case cause::topology_ready: return "topology-ready";
    case cause::topology_not_ready: return "topology-not-ready";
    case cause::assignment_config_changed: return "assignment-config-changed";
    case cause::warm_up_caught_up: return "warm-up-caught-up";
    case cause::warm_up_stuck: return "warm-up-stuck";
    case cause::member_left: return "member-left";
    case cause::session_expired: return "session-expired";
    case cause::rebalance_expired: return "rebalance-expired";
    case cause::member_removed: return "member-removed";
    case cause::topology_updated: return "topology-updated";
    case cause::rebalance_requested: return "rebalance-requested";
    case cause::config_changed: return "config-changed";
    case cause::target_computed: return "target-computed";
  }
  return "unknown";
}

std::optional<cause> cause_of(std::string_view wanted) noexcept {
  return find_by_name(cause::target_computed, wanted);
}

std::string_view name(hold_up why) noexcept {
  switch (why) {
    case hold_up::unrevoked: return "unrevoked";
    case hold_up::unreleased: return "unreleased";
    case hold_up::slow_heartbeat: return "slow-heartbeat";
    case hold_up::missing_topic: return "missing-topic";
  }
  return "unknown";
}

std::optional<hold_up> hold_up_of(std::string_view wanted) noexcept {
  return find_by_name(hold_up::missing_topic, wanted);
}

std::string_view name(moved_role role) noexcept {
  switch (role) {
    case moved_role::active: return "active";
    case moved_role::standby: return "standby";
    case moved_role::warmup: return "warmup";
  }
  return "unknown";
}

std::string in_words(const std::vector<field_change>& changes) {
  std::string words;
  for (const auto& change : changes) {
    if (!words.empty()) words += "; ";
    words += change.what + " " + change.before + " -> " + change.after;
  }
  return words;
}

void add_move(event& to, moved_task move) {
  if (to.moved.size() < moves_max) {
    to.moved.push_back(std::move(move));
  } else {
    to.moved_truncated = true;
  }
}

}  // namespace weir::group
