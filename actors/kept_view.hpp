// Views of a large group without copying it each time: the copy that was shown last is kept until the group's records
// change, and what heartbeats change is brought up to date in it. A copy of 1,000 members takes 20 ms, in which their
// heartbeats would wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "group/describe.hpp"

namespace weir::actors {

/// Owned by a group, one thread at a time; the views may be used and dropped by any thread.
class kept_view {
 public:
  /// A view whose `group` is the group as it is now; the rest is to be filled in before it is handed on.
  [[nodiscard]] std::shared_ptr<group::group_view> of(const group::streams_group& group, std::int64_t now_ms);
  /// Records have changed or will: the next view is a copy.
  void forget() noexcept { kept_.reset(); }
  /// The copy goes when nobody has asked for a while.
  void forget_if_unused(std::int64_t now_ms) noexcept {
    if (kept_ && now_ms >= *unused_at_ms()) forget();
  }
  /// When to call that; nothing if nothing is kept.
  [[nodiscard]] std::optional<std::int64_t> unused_at_ms() const noexcept {
    return kept_ ? std::optional(asked_ms_ + unused_ms) : std::nullopt;
  }

 private:
  static constexpr std::size_t members_min = 50;  // a smaller group is copied
  static constexpr std::int64_t unused_ms = 30'000;
  struct lent_view {
    group::group_view view;
    std::atomic<bool> is_lent{false};
  };
  std::shared_ptr<lent_view> kept_;
  std::int64_t asked_ms_ = 0;
};

}  // namespace weir::actors
