// The metadata image of this moment. The metadata actor replaces it; groups take it when its number has changed, so a
// heartbeat reads one atomic and takes no lock. Deleted topics are remembered for a while: a group that cannot drop
// their offsets at once does so later.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "group/offsets/delete.hpp"
#include "metadata/image.hpp"

namespace weir::actors {

class current_image {
 public:
  /// Of more deleted topics the first are forgotten. A group is that far behind only if it cannot write meanwhile.
  static constexpr std::size_t deletions_max = 10'000;

  explicit current_image(metadata::image_ptr first) : image_(std::move(first)) {
    if (!image_) image_ = std::make_shared<const metadata::image>();
  }

  /// Grows with every replacement.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_.load(std::memory_order_acquire); }
  /// The image and its number.
  [[nodiscard]] std::pair<metadata::image_ptr, std::uint64_t> get() const {
    const std::lock_guard lock(mutex_);
    return {image_, number_.load(std::memory_order_relaxed)};
  }
  /// `gone`: topics of the former image that are not in this one.
  void set(metadata::image_ptr next, group::deleted_topics gone = {}) {
    const std::lock_guard lock(mutex_);
    image_ = std::move(next);
    const auto number = number_.load(std::memory_order_relaxed) + 1;
    if (!gone.empty()) last_deletion_.store(number, std::memory_order_relaxed);
    number_.store(number, std::memory_order_release);
    for (auto& topic : gone) deletions_.push_back({number, std::move(topic)});
    while (deletions_.size() > deletions_max) deletions_.pop_front();
  }

  /// Number of the last image that lacked a topic of the one before; 0: none yet.
  [[nodiscard]] std::uint64_t last_deletion() const noexcept { return last_deletion_.load(std::memory_order_acquire); }
  /// What has gone after the image of that number, and the number of the last deletion.
  [[nodiscard]] std::pair<group::deleted_topics, std::uint64_t> deleted_since(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    group::deleted_topics topics;
    for (auto each = deletions_.rbegin(); each != deletions_.rend() && each->first > number; ++each) {
      topics.push_back(each->second);
    }
    return {std::move(topics), last_deletion_.load(std::memory_order_relaxed)};
  }

 private:
  mutable std::mutex mutex_;
  metadata::image_ptr image_;
  std::atomic<std::uint64_t> number_{1};
  std::atomic<std::uint64_t> last_deletion_{0};
  std::deque<std::pair<std::uint64_t, group::deleted_topics::value_type>> deletions_;  // number of the image, topic
};

}  // namespace weir::actors
