#include "gateway/offset_order.hpp"

#include <utility>

namespace weir::gateway {

offset_order::ticket offset_order::commit_started(std::string_view group_id) {
  const std::lock_guard guard(mutex_);
  groups_.try_emplace(std::string(group_id)).first->second.open.insert(next_);
  return next_++;
}

void offset_order::commit_settled(std::string_view group_id, ticket commit) {
  std::vector<action> ready;
  {
    const std::lock_guard guard(mutex_);
    const auto group = groups_.find(group_id);
    if (group == groups_.end()) return;
    group->second.open.erase(commit);
    release(group->second, ready);
    if (group->second.open.empty()) groups_.erase(group);
  }
  for (const auto& fetch : ready) fetch();
}

void offset_order::commit_lost(std::string_view group_id, ticket commit, std::int64_t now_ms) {
  const std::lock_guard guard(mutex_);
  const auto group = groups_.find(group_id);
  if (group != groups_.end()) group->second.lost_until_ms.emplace(commit, now_ms + settle_ms);
}

void offset_order::when_settled(std::string_view group_id, std::function<void()> fetch) {
  {
    const std::lock_guard guard(mutex_);
    const auto group = groups_.find(group_id);
    if (group != groups_.end()) {
      group->second.waiting.push_back({next_, std::move(fetch)});
      return;
    }
  }
  fetch();
}

void offset_order::expire(std::int64_t now_ms) {
  std::vector<action> ready;
  {
    const std::lock_guard guard(mutex_);
    for (auto group = groups_.begin(); group != groups_.end();) {
      auto& [id, commits] = *group;
      std::erase_if(commits.lost_until_ms, [&open = commits.open, now_ms](const auto& lost) {
        if (lost.second > now_ms) return false;
        open.erase(lost.first);
        return true;
      });
      release(commits, ready);
      group = commits.open.empty() ? groups_.erase(group) : std::next(group);
    }
  }
  for (const auto& fetch : ready) fetch();
}

/// Takes out the fetches that no open commit precedes.
void offset_order::release(open_commits& group, std::vector<action>& ready) {
  while (!group.waiting.empty() && (group.open.empty() || *group.open.begin() >= group.waiting.front().before)) {
    ready.push_back(std::move(group.waiting.front().fetch));
    group.waiting.pop_front();
  }
}

}  // namespace weir::gateway
