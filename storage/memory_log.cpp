#include "storage/memory_log.hpp"

#include <utility>
#include <vector>

#include "storage/record_codec.hpp"

namespace weir::storage {

namespace {

template <class Map>
void set(Map& map, const std::string& key, std::optional<std::string> value) {
  if (value) {
    map.insert_or_assign(key, std::move(*value));
  } else {
    map.erase(key);
  }
}

}  // namespace

void memory_log::append(append_request request) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(request));
    if (holding_) return;
  }
  release();
}

void memory_log::release(std::size_t count) {
  const std::lock_guard in_order(settling_);
  for (; count > 0; --count) {
    std::function<void(result<void>)> done;
    result<void> outcome;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      auto request = std::move(waiting_.front());
      waiting_.pop_front();
      outcome = store(request);
      done = std::move(request.done);
    }
    done(std::move(outcome));
  }
}

/// The rules of record_log::append(): a group's failure takes the rest of its incarnation with it.
result<void> memory_log::store(const append_request& request) {
  std::optional<std::string> refused;
  const auto failed = failed_groups_.find(request.group_id);
  if (failed != failed_groups_.end() && request.incarnation <= failed->second) {
    refused = "an earlier write of the group failed";
  }
  if (!refused && failures_ > 0) {
    --failures_;
    refused = failure_reason_;
  }
  if (refused) {
    if (!request.group_id.empty()) failed_groups_.insert_or_assign(request.group_id, request.incarnation);
    return fail(std::move(*refused));
  }
  if (failed != failed_groups_.end()) failed_groups_.erase(failed);
  for (const auto& r : request.records) {
    const auto key = encode_key(key_of(request.group_id, r));
    const auto value = encode_value(r);
    set(groups_[request.group_id], std::string(as_characters(key)),
        value ? std::optional(std::string(as_characters(*value))) : std::nullopt);
  }
  for (const auto& write : request.writes) set(tables_[write.in], write.key, write.value);
  return {};
}

result<void> memory_log::replay(const visitor& visit) {
  std::map<std::string, key_values, std::less<>> copy;
  {
    const std::lock_guard lock(mutex_);
    copy = groups_;
  }
  for (const auto& [group_id, entries] : copy) {
    if (auto visited = visit_group(group_id, entries, visit); !visited) return visited;
  }
  return {};
}

result<void> memory_log::replay_group(std::string_view group_id, const visitor& visit) {
  key_values copy;
  {
    const std::lock_guard lock(mutex_);
    const auto found = groups_.find(group_id);
    if (found == groups_.end()) return {};
    copy = found->second;
  }
  return visit_group(group_id, copy, visit);
}

result<void> memory_log::visit_group(std::string_view group_id, const key_values& entries, const visitor& visit) {
  for (const auto& [key, value] : entries) {
    const auto parts = decode_key(as_bytes(key));
    if (!parts) return tl::unexpected(parts.error());
    if (!*parts) continue;
    auto r = decode_record(**parts, as_bytes(value));
    if (!r) return tl::unexpected(r.error());
    visit(group_id, std::move(*r));
  }
  return {};
}

result<void> memory_log::read_table(table from, const std::function<void(std::string_view, std::string_view)>& visit) {
  key_values copy;
  {
    const std::lock_guard lock(mutex_);
    copy = tables_[from];
  }
  for (const auto& [key, value] : copy) visit(key, value);
  return {};
}

result<void> memory_log::read_back(table from, std::string_view prefix, std::string_view below,
                                   const stopping_visitor& visit) {
  std::vector<std::pair<std::string, std::string>> copy;
  {
    const std::lock_guard lock(mutex_);
    const auto& entries = tables_[from];
    for (auto at = entries.lower_bound(prefix); at != entries.end() && at->first.starts_with(prefix); ++at) {
      if (below.empty() || at->first < below) copy.emplace_back(*at);
    }
  }
  for (auto at = copy.rbegin(); at != copy.rend() && visit(at->first, at->second); ++at) {
  }
  return {};
}

result<std::optional<std::string>> memory_log::read_value(table from, std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto& entries = tables_[from];
  const auto found = entries.find(key);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

std::size_t memory_log::queued() const noexcept {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void memory_log::hold() {
  const std::lock_guard lock(mutex_);
  holding_ = true;
}

void memory_log::resume() {
  {
    const std::lock_guard lock(mutex_);
    holding_ = false;
  }
  release();
}

void memory_log::fail_next(std::size_t count, std::string reason) {
  const std::lock_guard lock(mutex_);
  failures_ = count;
  failure_reason_ = std::move(reason);
}

void memory_log::lose_undurable() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

}  // namespace weir::storage
