#include "actors/rebalance_loops.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weir::actors {

namespace {

/// Whether the member that the event names has caused it; of the others it is just who came next.
bool is_of_member(group::cause why) {
  switch (why) {
    case group::cause::member_joined:
    case group::cause::member_changed:
    case group::cause::member_left:
    case group::cause::session_expired:
    case group::cause::rebalance_expired:
    case group::cause::member_removed: return true;
    default: return false;
  }
}

}  // namespace

std::optional<group::loop_alarm> rebalance_loops::note(const group::event& what) {
  if (limits_.count == 0) return std::nullopt;
  if (!group::is_of_rebalance(what.why)) return std::nullopt;
  using group::cause;
  const bool is_a_step = what.why == cause::warm_up_caught_up || what.why == cause::warm_up_stuck;
  if (is_a_step || what.why == cause::target_computed) return std::nullopt;
  std::erase_if(seen_, [&](const seen& one) { return one.time_ms <= what.time_ms - limits_.window_ms; });
  if (seen_.size() == seen_max) seen_.erase(seen_.begin());
  seen_.push_back({what.why, is_of_member(what.why) ? what.member_id : std::string(), what.time_ms});
  const auto now = tally(seen_.back(), what.time_ms);
  return now.count == limits_.count ? std::optional(now) : std::nullopt;
}

std::vector<group::loop_alarm> rebalance_loops::on_at(std::int64_t now_ms) const {
  std::vector<group::loop_alarm> on;
  if (limits_.count == 0) return on;
  std::map<std::pair<group::cause, std::string_view>, std::int32_t> counts;
  for (const auto& one : seen_) {
    if (one.time_ms <= now_ms - limits_.window_ms) continue;
    if (++counts[{one.why, one.member_id}] == limits_.count) on.push_back(tally(one, now_ms));
  }
  return on;
}

group::loop_alarm rebalance_loops::tally(const seen& like, std::int64_t now_ms) const {
  group::loop_alarm out{.why = like.why, .member_id = like.member_id, .count = 0, .window_ms = limits_.window_ms,
                        .since_ms = 0};
  for (const auto& one : seen_) {
    if (one.time_ms <= now_ms - limits_.window_ms || one.why != like.why || one.member_id != like.member_id) continue;
    if (out.count++ == 0) out.since_ms = one.time_ms;
  }
  return out;
}

}  // namespace weir::actors
