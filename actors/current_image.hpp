// The metadata image of this moment. The metadata actor replaces it; groups take it when its number has changed, so a
// heartbeat reads one atomic and takes no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "metadata/image.hpp"

namespace weir::actors {

class current_image {
 public:
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
  void set(metadata::image_ptr next) {
    const std::lock_guard lock(mutex_);
    image_ = std::move(next);
    number_.fetch_add(1, std::memory_order_release);
  }

 private:
  mutable std::mutex mutex_;
  metadata::image_ptr image_;
  std::atomic<std::uint64_t> number_{1};
};

}  // namespace weir::actors
