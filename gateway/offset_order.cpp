#include "gateway/offset_order.hpp"

#include <algorithm>
#include <utility>

namespace weir::gateway {

void offset_order::commit_started(std::string_view group_id) {
  const std::lock_guard guard(mutex_);
  ++groups_.try_emplace(std::string(group_id)).first->second.count;
}

void offset_order::commit_settled(std::string_view group_id) {
  std::vector<std::function<void()>> ready;
  {
    const std::lock_guard guard(mutex_);
    const auto group = groups_.find(group_id);
    if (group == groups_.end()) return;
    ready = settle_locked(group);
  }
  for (const auto& fetch : ready) fetch();
}

void offset_order::commit_lost(std::string_view group_id, std::int64_t now_ms) {
  const std::lock_guard guard(mutex_);
  const auto group = groups_.find(group_id);
  if (group != groups_.end()) group->second.lost_until_ms.push_back(now_ms + settle_ms);
}

void offset_order::when_settled(std::string_view group_id, std::function<void()> fetch) {
  {
    const std::lock_guard guard(mutex_);
    const auto group = groups_.find(group_id);
    if (group != groups_.end()) {
      group->second.waiting.push_back(std::move(fetch));
      return;
    }
  }
  fetch();
}

void offset_order::expire(std::int64_t now_ms) {
  std::vector<std::function<void()>> ready;
  {
    const std::lock_guard guard(mutex_);
    for (auto group = groups_.begin(); group != groups_.end();) {
      const auto next = std::next(group);
      auto& lost = group->second.lost_until_ms;
      const auto over = std::count_if(lost.begin(), lost.end(), [&](std::int64_t until) { return until <= now_ms; });
      std::erase_if(lost, [&](std::int64_t until) { return until <= now_ms; });
      for (std::ptrdiff_t i = 0; i < over; ++i) {
        auto settled = settle_locked(group);
        std::move(settled.begin(), settled.end(), std::back_inserter(ready));
      }
      group = next;
    }
  }
  for (const auto& fetch : ready) fetch();
}

std::vector<std::function<void()>> offset_order::settle_locked(
    std::map<std::string, open_commits, std::less<>>::iterator group) {
  if (--group->second.count > 0) return {};
  auto waiting = std::move(group->second.waiting);
  groups_.erase(group);
  return waiting;
}

}  // namespace weir::gateway
