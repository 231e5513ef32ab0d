#include "actors/event_feed.hpp"

#include <algorithm>
#include <utility>

namespace weir::actors {

namespace {

/// Numbers are microseconds since the epoch, or one more than the last: no group has so many events in one.
constexpr std::uint64_t numbers_in_ms = 1'000;

std::size_t size_of(const feed_entry& entry) {
  const auto& of = *entry.what;
  std::size_t bytes = sizeof(feed_entry) + sizeof(group::event) + entry.group_id.size() + of.detail.size();
  for (const auto& move : of.moved) {
    bytes += sizeof(move) + move.task.size() + move.from_member.size() + move.to_member.size();
  }
  for (const auto& change : of.changes) {
    bytes += sizeof(change) + change.what.size() + change.before.size() + change.after.size();
  }
  return bytes;
}

}  // namespace

event_feed::listener::~listener() {
  const std::lock_guard lock(from_.mutex_);
  from_.ears_.erase(at_);
}

void event_feed::publish(std::string_view group_id, std::shared_ptr<const group::event> what) {
  const std::lock_guard lock(mutex_);
  const auto by_clock = static_cast<std::uint64_t>(std::max<std::int64_t>(what->time_ms, 0)) * numbers_in_ms;
  last_ = std::max(last_ + 1, by_clock);
  entries_.push_back({last_, std::string(group_id), std::move(what)});
  bytes_ += size_of(entries_.back());
  while (entries_.size() > entries_max || (bytes_ > bytes_max && entries_.size() > 1)) drop_oldest();
  for (const auto& one : ears_) one.hear(group_id);
}

void event_feed::drop_oldest() {
  dropped_ = entries_.front().number;
  bytes_ -= size_of(entries_.front());
  entries_.pop_front();
}

std::unique_ptr<event_feed::listener> event_feed::listen(std::function<void(std::string_view group_id)> hear) {
  const std::lock_guard lock(mutex_);
  ears_.push_back({std::move(hear)});
  return std::unique_ptr<listener>(new listener(*this, std::prev(ears_.end())));
}

std::size_t event_feed::listeners() const {
  const std::lock_guard lock(mutex_);
  return ears_.size();
}

event_feed::part event_feed::read(std::uint64_t after, std::size_t most) const {
  part out;
  const std::lock_guard lock(mutex_);
  out.lost = after < dropped_;
  auto at = std::ranges::upper_bound(entries_, after, {}, &feed_entry::number);
  for (; at != entries_.end() && out.entries.size() < most; ++at) out.entries.push_back(*at);
  return out;
}

std::uint64_t event_feed::newest() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace weir::actors
