// image: an immutable snapshot of the topics that exist. Whoever decides about topics takes one image and keeps to it;
// the source of metadata makes the next one with an image_builder.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/uuid.hpp"

namespace weir::metadata {

/// One topic as of some image (spec 02, section 3).
struct topic {
  uuid id;
  std::string name;
  /// Index = partition number, 0 .. count-1. The racks of the replicas in assignment order; a replica whose broker is
  /// unknown or has no rack adds nothing, two replicas in one rack name it twice. May be empty.
  std::vector<std::vector<std::string>> partition_racks;

  [[nodiscard]] std::int32_t partition_count() const noexcept {
    return static_cast<std::int32_t>(partition_racks.size());
  }
  bool operator==(const topic&) const = default;
};

/// Images share the topics that did not change between them, so equal pointers mean "same topic, same content".
using topic_ptr = std::shared_ptr<const topic>;

class image;
using image_ptr = std::shared_ptr<const image>;

/// Any thread may read. Lookups are O(log topics).
class image {
 public:
  /// The empty image: version -1, no cluster id, no topic.
  image() = default;

  /// Grows with every image of one source.
  [[nodiscard]] std::int64_t version() const noexcept { return version_; }
  /// As the cluster prints it; empty while unknown.
  [[nodiscard]] const std::string& cluster_id() const noexcept { return cluster_id_; }

  /// The topic, or nullptr; valid as long as the image.
  [[nodiscard]] const topic* find(std::string_view name) const noexcept { return share(name).get(); }
  /// The topic, or nullptr; valid as long as the image. The zero id finds nothing.
  [[nodiscard]] const topic* find(const uuid& id) const noexcept;
  /// Like find, for those who keep the topic longer than the image; an empty pointer if there is no such topic.
  [[nodiscard]] const topic_ptr& share(std::string_view name) const noexcept;

  /// Every topic, ascending by name (byte order).
  [[nodiscard]] std::span<const topic_ptr> topics() const noexcept { return by_name_; }

 private:
  friend class image_builder;

  std::int64_t version_ = -1;
  std::string cluster_id_;
  std::vector<topic_ptr> by_name_;
  std::vector<const topic*> by_id_;  // topics with an id, ascending by it
};

/// Makes the next image out of a base and changes. Used once, by one thread.
class image_builder {
 public:
  /// An empty base pointer stands for the empty image.
  explicit image_builder(image_ptr base);

  image_builder& set_cluster_id(std::string cluster_id);
  /// Adds the topic or replaces the one of that name. A topic equal to the base's keeps the base's object, so putting
  /// everything again, as a poll does, touches nothing.
  image_builder& put_topic(topic topic);
  /// No effect if there is no such topic.
  image_builder& remove_topic(std::string_view name);
  [[nodiscard]] image_ptr build(std::int64_t version) const;

 private:
  struct change {
    std::string name;
    topic_ptr topic;  // empty: removed
  };
  void record(change made);
  [[nodiscard]] std::vector<topic_ptr> merge() const;
  [[nodiscard]] std::vector<const topic*> merge_ids() const;

  image_ptr base_;
  std::string cluster_id_;
  std::vector<change> changes_;  // ascending by name, one per name
};

}  // namespace weir::metadata
