// The requests of administrators: what is decided in group/administer is carried out here.
#include <fmt/format.h>

#include <utility>

#include "actors/group_shell.hpp"
#include "group/administer.hpp"
#include "group/heartbeat/leave.hpp"

namespace weir::actors {

using protocol::error_code;

void group_shell::administer(const admin_message& message) {
  if (!admit(*message.request)) return;
  if (services_.log.full()) return message.request->reject(error_code::coordinator_not_available);
  refresh_image();
  auto verdict = std::visit([&](const auto& what) { return carry_out(what, message.asked->by); }, message.asked->what);
  if (verdict) return answer_later(message.request, admin_result(tl::unexpected(*std::move(verdict))));
  answer_later(message.request, admin_result(admin_answer{group_.metadata.epoch, overrides_}));
}

/// A group that is being loaded reads them when it is. If the log has no room, what follows comes with the next
/// heartbeat or bump.
void group_shell::follow_defaults(const defaults_message& message) {
  if (loading_) return;
  refresh_image();
  const auto before = config_;
  use_settings({overrides_, config_.drained_processes});
  if (!services_.log.full()) carry_out_signed(group::follow_config(group_, world(), before), message.by);
}

std::optional<protocol::kafka_error> group_shell::carry_out(const change_settings& what, const std::string& by) {
  auto next = group::overrides_after(overrides_, what.change, services_.defaults.get()->broker);
  if (!next) return next.error();
  if (*next != overrides_) change_overrides(*std::move(next), true, by);
  return std::nullopt;
}

/// `follows`: a target that depends on them comes at once, else from the next heartbeat on.
void group_shell::change_overrides(group::overrides next, bool follows, const std::string& by) {
  const auto before = config_;
  const auto former = overrides_;
  use_settings({std::move(next), config_.drained_processes});
  group::change_outcome outcome;
  if (follows) outcome = group::follow_config(group_, world(), before);
  const auto* covered = outcome.events.empty() ? nullptr : &before;
  if (auto told = group::config_event(group_, world(), former, overrides_, covered)) {
    outcome.events.insert(outcome.events.begin(), *std::move(told));
  }
  write_settings(std::move(outcome), by);
}

std::optional<protocol::kafka_error> group_shell::carry_out(const ask_rebalance& /*what*/, const std::string& by) {
  if (auto refused = needs_members()) return refused;
  carry_out_signed(group::rebalance(group_, world(), group::cause::rebalance_requested, "asked for"), by);
  return std::nullopt;
}

std::optional<protocol::kafka_error> group_shell::carry_out(const take_out_member& what, const std::string& by) {
  if (auto refused = needs_members()) return refused;
  if (!group_.members.contains(what.member_id)) {
    return protocol::kafka_error{error_code::unknown_member_id, "there is no member " + what.member_id};
  }
  carry_out_signed(group::remove_member(group_, what.member_id, group::cause::member_removed, now()), by);
  return std::nullopt;
}

std::optional<protocol::kafka_error> group_shell::carry_out(const mark_drained& what, const std::string& by) {
  if (auto refused = needs_members()) return refused;
  auto drained = config_.drained_processes;
  if (what.is_drained == drained.contains(what.process_id)) return std::nullopt;
  if (what.is_drained) {
    if (auto refused = group::check_drain(group_, config_, what.process_id)) return refused;
    drained.insert(group::mark_of(group_, what.process_id));
  } else {
    drained.erase(what.process_id);
  }
  use_settings({overrides_, std::move(drained)});
  const auto detail = fmt::format("process {} {}", what.process_id,
                                  what.is_drained ? "is drained: others get its tasks" : "is no longer drained");
  write_settings(group::rebalance(group_, world(), group::cause::rebalance_requested, detail), by);
  return std::nullopt;
}

std::optional<protocol::kafka_error> group_shell::needs_members() const {
  if (group_.kind != group::group_kind::streams) {
    return protocol::kafka_error{error_code::group_id_not_found, "there is no streams group " + group_.id};
  }
  if (!group_.members.empty()) return std::nullopt;
  return protocol::kafka_error{error_code::invalid_request, "group " + group_.id + " has no members"};
}

void group_shell::carry_out_signed(group::change_outcome outcome, const std::string& by) {
  for (auto& event : outcome.events) event.by = by;
  carry_out(std::move(outcome));
}

/// In force in memory from here on, like records that have been applied; write_settings() comes next.
void group_shell::use_settings(group_settings next) {
  overrides_ = std::move(next.overrides);
  config_ = group::effective(overrides_, services_.defaults.get()->broker);
  config_.drained_processes = std::move(next.drained);
}

/// The settings in force and what follows from them, durable together. Others see them when they are.
void group_shell::write_settings(group::change_outcome outcome, const std::string& by) {
  const group_settings written{overrides_, config_.drained_processes};
  for (auto& event : outcome.events) event.by = by;
  // Before the write: that may end a mark, which is then newer.
  when_durable_.emplace_back(appended_ + 1, [this, written] { services_.configs.set(group_.id, written); });
  write(std::exchange(outcome.records, {}), {config_store::to_write(group_.id, written)},
        std::exchange(outcome.events, {}));
  carry_out(std::move(outcome));
}

/// The mark of a process ends when the members it had are gone; if it has started again by then it gets tasks.
void group_shell::forget_drained() {
  if (config_.drained_processes.empty() || services_.log.full()) return;
  auto remaining = group::still_drained(group_, config_);
  if (remaining == config_.drained_processes) return;
  auto back = group::back_from_drain(group_, config_, remaining);
  use_settings({overrides_, std::move(remaining)});
  group::change_outcome follows;
  if (!back.empty()) follows = group::rebalance(group_, world(), group::cause::rebalance_requested, std::move(back));
  write_settings(std::move(follows), {});
}

}  // namespace weir::actors
