// What the coordinator counts: plain atomics that any thread adds to and /metrics reads. Owned by the coordinator.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "group/event.hpp"

namespace weir::actors {

/// Totals since the start, except held_now. Relaxed: each is right by itself, not all at one moment.
struct coordinator_counters {
  using counter = std::atomic<std::uint64_t>;

  counter heartbeats{0};           ///< asked for
  counter heartbeats_refused{0};   ///< answered with an error
  counter commits{0};              ///< partitions committed
  counter expirations{0};          ///< offsets removed because of their age
  counter deletions{0};            ///< offsets removed because somebody asked for it
  counter tasks_moved{0};          ///< active tasks that a new target gives to another member
  counter answers_held{0};         ///< answers that waited for the log
  counter held_now{0};             ///< waiting at this moment
  counter answers_timed_out{0};    ///< waited longer than answer_timeout_ms and were refused
  counter appends{0};              ///< handed to the log
  counter rollbacks{0};            ///< groups that forgot their memory because a write failed
  counter replays{0};              ///< groups rebuilt from the log, the start included
  counter respawns{0};             ///< group actors that died and were replaced
  counter wake_ups{0};             ///< deadlines looked at
  counter images{0};               ///< metadata images published
  counter rebalance_loops{0};      ///< alarms of a cause that comes again and again
  counter warm_ups_stuck{0};       ///< warm-up tasks that made way for others because they did not get on

  /// By group::cause.
  std::array<counter, static_cast<std::size_t>(group::cause::target_computed) + 1> events{};

  [[nodiscard]] std::uint64_t of(group::cause why) const noexcept { return events[static_cast<std::size_t>(why)]; }
};

inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) noexcept {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace weir::actors
