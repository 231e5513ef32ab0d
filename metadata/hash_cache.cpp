#include "metadata/hash_cache.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/assert.hpp"
#include "metadata/topic_hash.hpp"

namespace weir::metadata {
namespace {

/// A joining group asks before it is subscribed, and if the join is refused it never will be. Once so many hashes wait
/// for a subscriber, they are dropped.
constexpr std::size_t unsubscribed_max = 1000;

/// Finds topics asked for in ascending order. The topics of one application mostly stand close together, so it looks
/// near the last one first.
class ascending_lookup {
 public:
  explicit ascending_lookup(std::span<const topic_ptr> topics) : rest_(topics) {}

  /// nullptr if there is no such topic.
  const topic_ptr* find(std::string_view name) {
    std::size_t step = 1;
    while (step < rest_.size() && name_of(rest_[step]) < name) {
      rest_ = rest_.subspan(step);
      step *= 2;
    }
    auto near = rest_.first(std::min(step + 1, rest_.size()));
    auto at = std::ranges::lower_bound(near, name, {}, name_of);
    rest_ = rest_.subspan(static_cast<std::size_t>(at - near.begin()));
    return !rest_.empty() && name_of(rest_.front()) == name ? &rest_.front() : nullptr;
  }

 private:
  static std::string_view name_of(const topic_ptr& topic) noexcept { return topic->name; }

  std::span<const topic_ptr> rest_;  // from the last one found on
};

}  // namespace

std::int64_t hash_cache::group_hash(const image& image, const std::vector<std::string>& required_sorted) {
  return hash_of_all(image, required_sorted);
}

std::int64_t hash_cache::group_hash(const image& image, const std::set<std::string>& required) {
  return hash_of_all(image, required);
}

template <class Names>
std::int64_t hash_cache::hash_of_all(const image& image, const Names& names) {
  std::vector<std::int64_t> hashes;
  hashes.reserve(names.size());
  ascending_lookup topics(image.topics());
  std::string_view previous;
  std::lock_guard lock(mutex_);
  forget_unsubscribed();
  auto hint = entries_.begin();
  for (const auto& name : names) {
    WEIR_ASSERT(previous.empty() || previous < name);
    previous = name;
    const auto* topic = topics.find(name);
    if (topic == nullptr) continue;
    hint = cached(*topic, hint);
    hashes.push_back(hint->second.hash);
    ++hint;
  }
  return metadata::group_hash(hashes);
}

void hash_cache::forget_unsubscribed() {
  if (unsubscribed_.size() < unsubscribed_max) return;
  for (const auto& name : unsubscribed_) entries_.erase(name);
  unsubscribed_.clear();
}

hash_cache::entries::iterator hash_cache::cached(const topic_ptr& topic, entries::iterator hint) {
  if (hint == entries_.end() || hint->first != topic->name) hint = entries_.lower_bound(topic->name);
  if (hint != entries_.end() && hint->second.topic == topic) {
    ++hits_;
    return hint;
  }
  ++computations_;
  if (!groups_by_topic_.contains(topic->name)) unsubscribed_.insert(topic->name);
  return entries_.insert_or_assign(hint, topic->name, entry{topic, topic_hash(*topic)});
}

void hash_cache::subscribe(std::string_view group, const std::set<std::string>& topics, bool every_topic) {
  std::lock_guard lock(mutex_);
  std::string id(group);
  if (every_topic) {
    told_of_all_.insert(id);
  } else {
    told_of_all_.erase(id);
  }
  auto before = std::exchange(topics_by_group_[id], topics);
  for (const auto& topic : topics) {
    groups_by_topic_[topic].insert(id);
    unsubscribed_.erase(topic);
  }
  for (const auto& topic : before) {
    if (!topics.contains(topic)) leave(id, topic);
  }
  if (topics.empty()) topics_by_group_.erase(id);
}

void hash_cache::unsubscribe(std::string_view group) { subscribe(group, {}); }

void hash_cache::leave(const std::string& group, const std::string& topic) {
  auto groups = groups_by_topic_.find(topic);
  groups->second.erase(group);
  if (!groups->second.empty()) return;
  groups_by_topic_.erase(groups);
  entries_.erase(topic);
}

std::vector<std::string> hash_cache::invalidate(const delta& delta) {
  std::lock_guard lock(mutex_);
  std::set<std::string> affected;
  for (const auto& name : delta.touched()) {
    entries_.erase(name);
    unsubscribed_.erase(name);
    auto groups = groups_by_topic_.find(name);
    if (groups != groups_by_topic_.end()) affected.insert(groups->second.begin(), groups->second.end());
  }
  if (!delta.empty()) affected.insert(told_of_all_.begin(), told_of_all_.end());
  return {affected.begin(), affected.end()};
}

hash_cache_counters hash_cache::counters() const {
  std::lock_guard lock(mutex_);
  return {computations_, hits_, entries_.size(), groups_by_topic_.size()};
}

}  // namespace weir::metadata
