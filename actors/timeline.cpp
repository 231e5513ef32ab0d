#include "actors/timeline.hpp"

#include <algorithm>
#include <utility>

#include "actors/timeline_codec.hpp"

namespace weir::actors {

namespace {

/// Entries that cannot be read: once in a while is enough.
log::flood_guard& unreadable() {
  static log::flood_guard guard{5, 60'000};
  return guard;
}

/// Events of one rebalance: the bump, the target, and what else came with that epoch.
constexpr std::size_t open_max = 16;

}  // namespace

void timeline::before(const group::streams_group& group) {
  was_streams_ = group.kind == group::group_kind::streams;
  hindrance_.reset();
  if (was_streams_ && !loaded_) load();
  if (!open_.empty()) hindrance_ = group::hindrance_of(group);
}

timeline::outcome timeline::after(const group::streams_group& group, std::vector<group::event> events,
                                  std::int64_t now_ms) {
  outcome out;
  const bool is_streams = group.kind == group::group_kind::streams;
  if (!is_streams && !was_streams_) return out;
  if (!loaded_ && !load()) return out;
  is_streams ? tell(out, group, std::move(events), now_ms) : remove_all(out);
  return out;
}

void timeline::tell(outcome& out, const group::streams_group& group, std::vector<group::event> events,
                    std::int64_t now_ms) {
  const auto first_new = next_;
  add(out, std::move(events));
  const auto state = group::state_of(group);
  const bool is_stable = state == group::group_state::stable;
  for (auto& one : open_) {
    const bool is_new = one.index >= first_new;
    if (is_stable) settle(one, is_new, now_ms);
    if (is_stable || is_new) out.writes.push_back(to_write(one));
    if (is_new) out.news.push_back(std::make_shared<const group::event>(one));
  }
  if (is_stable || state == group::group_state::empty) open_.clear();
  if (open_.size() > open_max) open_.erase(open_.begin(), open_.end() - open_max);
  if (!out.news.empty()) prune(out, now_ms);
}

void timeline::add(outcome& out, std::vector<group::event> events) {
  for (auto& event : events) {
    overtake(out, event.group_epoch);
    event.index = next_++;
    times_.push_back(event.time_ms);
    if (!group::is_of_rebalance(event.why)) {
      out.writes.push_back(to_write(event));
      out.news.push_back(std::make_shared<const group::event>(std::move(event)));
      continue;
    }
    open_.push_back(std::move(event));
  }
}

void timeline::forget() {
  loaded_ = false;
  next_ = 1;
  times_ = {};
  open_ = {};
}

/// False if the log cannot be read: then the story has a gap, the group goes on.
bool timeline::load() {
  forget();
  std::vector<std::int64_t> times;
  std::size_t apart = 0;  // events that no rebalance belongs to
  auto read = log_.read_back(
      storage::table::timeline, timeline_prefix(group_id_), {},
      [&](std::string_view key, std::string_view value) { return take_stored(key, value, times, apart); });
  if (!read) {
    forget();
    unreadable().write(log::level::error, "the timeline of a group cannot be read",
                       {{"group", group_id_}, {"reason", read.error().message}});
    return false;
  }
  times_.assign(times.rbegin(), times.rend());
  std::ranges::reverse(open_);
  loaded_ = true;
  return true;
}

/// From the newest on. False: nothing of this group follows.
bool timeline::take_stored(std::string_view key, std::string_view value, std::vector<std::int64_t>& times,
                           std::size_t& apart) {
  const auto index = own_index(key);
  if (index == 0) return true;
  if (times.empty()) next_ = index + 1;
  if (index != next_ - 1 - times.size()) return false;  // there are no gaps, so this is not ours
  times.push_back(time_of_event(value).value_or(0));    // what cannot be read is very old: it goes first
  if (open_.size() + apart + 1 != times.size() || open_.size() == open_max) return true;
  auto event = decode_event(value);
  if (event && group::is_of_rebalance(event->why)) {
    event->index = index;
    reopen(*std::move(event));
  } else if (event) {
    ++apart;
  }
  return true;
}

/// An event of the rebalance that is not over may still be added to.
void timeline::reopen(group::event event) {
  if (event.stable_after_ms || event.last_reason) return;
  if (!open_.empty() && open_.back().group_epoch != event.group_epoch) return;
  open_.push_back(std::move(event));
}

/// 0 if it is not the key of an event of this group.
std::uint64_t timeline::own_index(std::string_view key) const {
  const auto index = index_of(key).value_or(0);
  return index != 0 && key == timeline_key(group_id_, index) ? index : 0;
}

storage::table_write timeline::to_write(const group::event& what) const {
  return {storage::table::timeline, timeline_key(group_id_, what.index), encode_event(what)};
}

/// Those on their way to the log, too.
void timeline::remove_all(outcome& out) {
  const auto remove = [&](std::string_view key, std::string_view /*value*/) {
    out.writes.push_back({storage::table::timeline, std::string(key), std::nullopt});
    return true;
  };
  if (const auto read = log_.read_back(storage::table::timeline, timeline_prefix(group_id_), {}, remove); !read) {
    unreadable().write(log::level::error, "the timeline of a group cannot be read",
                       {{"group", group_id_}, {"reason", read.error().message}});
  }
  for (auto index = next_ - times_.size(); index < next_; ++index) {
    out.writes.push_back({storage::table::timeline, timeline_key(group_id_, index), std::nullopt});
  }
  forget();
  loaded_ = true;
}

/// A newer epoch: what came before does not get to an end of its own.
void timeline::overtake(outcome& out, std::int32_t group_epoch) {
  std::erase_if(open_, [&](group::event& former) {
    if (former.group_epoch >= group_epoch) return false;
    if (hindrance_) {
      former.last_member = hindrance_->member_id;
      former.last_reason = hindrance_->why;
      out.writes.push_back(to_write(former));
    }
    return true;
  });
}

/// Nobody held up an event that was there and over at once.
void timeline::settle(group::event& what, bool is_new, std::int64_t now_ms) const {
  what.stable_after_ms = std::max<std::int64_t>(now_ms - what.time_ms, 0);
  if (is_new || !hindrance_) return;
  what.last_member = hindrance_->member_id;
  what.last_reason = hindrance_->why;
}

void timeline::prune(outcome& out, std::int64_t now_ms) {
  const auto too_old = now_ms - limits_.retention_ms;
  const auto surplus = times_.size() - std::min(times_.size(), limits_.events_max);
  auto keep = times_.begin() + static_cast<std::ptrdiff_t>(surplus);
  while (keep != times_.end() && *keep < too_old) ++keep;
  const auto oldest = next_ - times_.size();
  const auto count = static_cast<std::uint64_t>(keep - times_.begin());
  for (auto index = oldest; index < oldest + count; ++index) {
    out.writes.push_back({storage::table::timeline, timeline_key(group_id_, index), std::nullopt});
  }
  times_.erase(times_.begin(), keep);
  std::erase_if(open_, [&](const group::event& one) { return one.index < oldest + count; });
}

timeline_page timeline::read(const timeline_query& query, std::int64_t now_ms) const {
  timeline_page page;
  page.complete = true;
  const auto prefix = timeline_prefix(group_id_);
  const auto below = query.below == 0 ? std::string() : timeline_key(group_id_, query.below);
  const auto newest = [&](std::string_view key, std::string_view /*value*/) {
    page.newest = own_index(key);
    return page.newest == 0;
  };
  const auto add = [&](std::string_view key, std::string_view value) {
    if (time_of_event(value).value_or(now_ms) < now_ms - limits_.retention_ms) return false;
    auto event = decode_event(value);
    if (!event) {
      unreadable().write(log::level::warn, "an event of a timeline cannot be read",
                         {{"group", group_id_}, {"reason", event.error().message}});
      return true;
    }
    if (query.only && event->why != *query.only) return true;
    page.complete = page.events.size() < query.most;
    if (!page.complete) return false;
    event->index = own_index(key);
    page.events.push_back(std::move(*event));
    return true;
  };
  auto done = log_.read_back(storage::table::timeline, prefix, {}, newest);
  if (done) done = log_.read_back(storage::table::timeline, prefix, below, add);
  if (!done) {
    unreadable().write(log::level::error, "the timeline of a group cannot be read",
                       {{"group", group_id_}, {"reason", done.error().message}});
  }
  return page;
}

}  // namespace weir::actors
