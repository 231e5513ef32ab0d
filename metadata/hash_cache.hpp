// hash_cache: topic hashes computed once for all groups, and who is subscribed to which topic (spec 02, section 8).
// Owned by the metadata actor, asked by every group that refreshes its metadata hash.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "metadata/delta.hpp"
#include "metadata/image.hpp"

namespace weir::metadata {

/// What the cache did since it was made, and holds now.
struct hash_cache_counters {
  std::uint64_t computations = 0;  ///< topic hashes computed
  std::uint64_t hits = 0;          ///< topic hashes taken from the cache
  std::size_t entries = 0;         ///< topic hashes held
  std::size_t topics = 0;          ///< names with at least one subscribed group
};

/// Any thread may call; one mutex, taken on the refresh path only, never by a heartbeat that refreshes nothing.
class hash_cache {
 public:
  /// Group hash over those required topics that exist in the image (7.3); 0 if none does. Names ascending, each once.
  /// Computes what is missing, keeps it. All topic hashes are of this image, whatever other groups asked for.
  [[nodiscard]] std::int64_t group_hash(const image& image, const std::vector<std::string>& required_sorted);
  [[nodiscard]] std::int64_t group_hash(const image& image, const std::set<std::string>& required);

  /// The group now requires exactly these topics. A name that nobody requires any longer leaves index and cache.
  /// `every_topic`: it is told of every other topic, too, for what it requires follows from the names there are.
  void subscribe(std::string_view group, const std::set<std::string>& topics, bool every_topic = false);
  /// The group requires nothing any longer, for example because it was deleted.
  void unsubscribe(std::string_view group);

  /// Forgets the hashes of the touched topics. Returns the groups that are to be told, ascending.
  [[nodiscard]] std::vector<std::string> invalidate(const delta& delta);

  [[nodiscard]] hash_cache_counters counters() const;

 private:
  struct entry {
    topic_ptr topic;  // what the hash was computed from: another object means another image's topic
    std::int64_t hash;
  };

  using entries = std::map<std::string, entry, std::less<>>;

  template <class Names>
  std::int64_t hash_of_all(const image& image, const Names& names);
  void forget_unsubscribed();
  /// The entry of this topic, computed if need be. The hint is where it may be.
  entries::iterator cached(const topic_ptr& topic, entries::iterator hint);
  void leave(const std::string& group, const std::string& topic);

  mutable std::mutex mutex_;
  entries entries_;
  std::set<std::string> unsubscribed_;  // names of entries_ that no group requires (yet)
  std::map<std::string, std::set<std::string>, std::less<>> groups_by_topic_;
  std::map<std::string, std::set<std::string>, std::less<>> topics_by_group_;
  std::set<std::string, std::less<>> told_of_all_;
  std::uint64_t computations_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace weir::metadata
