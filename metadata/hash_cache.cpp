#include "metadata/hash_cache.hpp"

#include <utility>

#include "metadata/topic_hash.hpp"

namespace weir::metadata {
namespace {

/// A joining group asks before it is subscribed, and if the join is refused it never will be. That many such hashes
/// may wait for a subscriber before they are dropped.
constexpr std::size_t unsubscribed_max = 1000;

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
  std::lock_guard lock(mutex_);
  for (const auto& name : names) {
    if (const auto& topic = image.share(name)) hashes.push_back(hash_of(topic));
  }
  return metadata::group_hash(hashes);
}

std::int64_t hash_cache::hash_of(const topic_ptr& topic) {
  auto found = entries_.find(topic->name);
  if (found != entries_.end() && found->second.topic == topic) {
    ++hits_;
    return found->second.hash;
  }
  auto hash = topic_hash(*topic);
  ++computations_;
  entries_.insert_or_assign(topic->name, entry{topic, hash});
  if (!groups_by_topic_.contains(topic->name)) note_unsubscribed(topic->name);
  return hash;
}

void hash_cache::note_unsubscribed(const std::string& name) {
  unsubscribed_.insert(name);
  if (unsubscribed_.size() <= unsubscribed_max) return;
  for (const auto& forgotten : unsubscribed_) entries_.erase(forgotten);
  unsubscribed_.clear();
}

void hash_cache::subscribe(std::string_view group, const std::set<std::string>& topics) {
  std::lock_guard lock(mutex_);
  std::string id(group);
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
  return {affected.begin(), affected.end()};
}

hash_cache_counters hash_cache::counters() const {
  std::lock_guard lock(mutex_);
  return {computations_, hits_, entries_.size(), groups_by_topic_.size()};
}

}  // namespace weir::metadata
