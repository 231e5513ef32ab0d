// One armed wake-up for each group, with a token. CAF cannot cancel a delayed message, so arming an earlier one makes
// the former token stale, and a later one is not armed at all: when the earlier fires, the group looks what is due.
#pragma once

#include <cstdint>
#include <optional>

namespace weir::actors {

class wake_up {
 public:
  /// A wake-up is wanted at that time. The token to send then, or nothing if one is armed that comes in time.
  [[nodiscard]] std::optional<std::uint64_t> arm(std::int64_t at_ms) noexcept {
    if (armed_at_ms_ && *armed_at_ms_ <= at_ms) return std::nullopt;
    armed_at_ms_ = at_ms;
    return ++token_;
  }
  /// Whether this is the armed one; then none is armed any longer.
  [[nodiscard]] bool fired(std::uint64_t token) noexcept {
    if (token != token_ || !armed_at_ms_) return false;
    armed_at_ms_.reset();
    return true;
  }

 private:
  std::optional<std::int64_t> armed_at_ms_;
  std::uint64_t token_ = 0;
};

}  // namespace weir::actors
