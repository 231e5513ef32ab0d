// Answers that wait until the log has made durable what they depend on. Owned by one group.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "actors/counters.hpp"
#include "actors/pending.hpp"

namespace weir::actors {

class held_answers {
 public:
  explicit held_answers(coordinator_counters& counters) : counters_(counters) {}
  /// Rejects everything with NOT_COORDINATOR.
  ~held_answers() { reject_all(protocol::error_code::not_coordinator); }
  held_answers(const held_answers&) = delete;
  held_answers& operator=(const held_answers&) = delete;

  /// Holds `release` until append number `append` is durable. Numbers and deadlines never go back from call to call.
  void hold(std::uint64_t append, std::int64_t deadline_ms, std::shared_ptr<pending_answer> request,
            std::function<void()> release);
  /// Gives every answer that waited for `durable` or less, in the order they were held.
  void release(std::uint64_t durable);
  /// Rejects those whose deadline has passed with COORDINATOR_NOT_AVAILABLE (spec 04, 9.2: the outcome is unknown).
  void expire(std::int64_t now_ms);
  void reject_all(protocol::error_code code);

  [[nodiscard]] bool empty() const noexcept { return held_.empty(); }
  [[nodiscard]] std::optional<std::int64_t> next_deadline() const noexcept {
    return held_.empty() ? std::nullopt : std::optional(held_.front().deadline_ms);
  }

 private:
  struct held {
    std::uint64_t append;
    std::int64_t deadline_ms;
    std::shared_ptr<pending_answer> request;
    std::function<void()> release;
    std::chrono::steady_clock::time_point since;
  };
  held take_front();

  coordinator_counters& counters_;
  std::deque<held> held_;
};

}  // namespace weir::actors
