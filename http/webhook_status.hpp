// How the deliveries of one web hook go: written by its threads, read by anybody, counted in the metrics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace weir::http {

/// What became of an event. delivered: the receiver took it; refused: it never will; given_up: it did not in all
/// attempts; dropped: the queue was full, or it was lost before it came to the hook.
enum class webhook_outcome : std::uint8_t { delivered, refused, given_up, dropped };
/// `delivered`, `given-up`, ...
[[nodiscard]] std::string_view name(webhook_outcome outcome) noexcept;
inline constexpr std::size_t webhook_outcomes = 4;

/// What may be shown of a hook: no token, and of its address neither path nor query, which many receivers take for one.
struct webhook_about {
  std::string name;
  std::string origin;               ///< `https://host:port`
  std::vector<std::string> causes;  ///< empty: all
  bool has_token = false;
  std::size_t queue_max = 0;        ///< events that can wait
};

/// Of one moment. Counts are those since the start.
struct webhook_state {
  webhook_about about;
  std::size_t queued = 0;                                ///< events that wait
  std::array<std::uint64_t, webhook_outcomes> events{};  ///< by outcome
  std::uint64_t attempts_failed = 0;
  std::optional<std::int64_t> delivered_ms;  ///< when the last one was
  std::optional<std::int64_t> failed_ms;     ///< when the last attempt failed
  std::string failure;                       ///< why
};

/// Any thread.
class webhook_status {
 public:
  explicit webhook_status(webhook_about about);

  void note(webhook_outcome outcome);
  /// An attempt has failed; `why` for people.
  void note_failure(std::string_view why);
  void note_queue(std::size_t queued);
  [[nodiscard]] webhook_state now() const;

 private:
  const system_clock time_;
  mutable std::mutex mutex_;
  webhook_state state_;
};

}  // namespace weir::http
