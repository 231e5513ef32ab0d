// What the resources share that wait for events.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "http/request.hpp"

namespace weir::http {

/// Remembers that it was rung until somebody can answer. Any thread.
class doorbell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    if (wake_) wake_();
  }
  /// Is called at each ring from now on, and at once if there was one before. Must not block.
  void answer_with(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
    if (rung_) wake_();
  }

 private:
  std::mutex mutex_;
  std::function<void()> wake_;
  bool rung_ = false;
};

/// 503: each of them holds a connection.
[[nodiscard]] response too_many_followers();
/// Names all causes there are.
[[nodiscard]] std::string unknown_cause(std::string_view cause);

}  // namespace weir::http
