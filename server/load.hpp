// load: how much of the process's limits is in use, shared by all I/O threads of a server; and its totals.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace weir::server {

/// Requests in flight in the whole process. Who is refused one is told, through the function given, when to try again.
class request_budget {
 public:
  /// `available` is called from any thread and must not block.
  request_budget(std::size_t most, std::function<void()> available) : most_(most), available_(std::move(available)) {}

  [[nodiscard]] bool try_take() noexcept {
    if (in_flight_.fetch_add(1, std::memory_order_seq_cst) < most_) return true;
    starving_.store(true, std::memory_order_seq_cst);
    give(1);
    return false;
  }
  void give(std::size_t count) noexcept {
    if (count == 0) return;
    const auto left = in_flight_.fetch_sub(count, std::memory_order_seq_cst) - count;
    if (left < most_ && starving_.load(std::memory_order_seq_cst) && starving_.exchange(false)) available_();
  }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.load(std::memory_order_relaxed); }

 private:
  std::size_t most_;
  std::function<void()> available_;
  std::atomic<std::size_t> in_flight_{0};
  std::atomic<bool> starving_{false};
};

/// Totals since the start; read by metrics.
struct server_totals {
  std::atomic<std::uint64_t> accepted{0};          ///< connections
  std::atomic<std::uint64_t> refused{0};           ///< connections above a limit
  std::atomic<std::uint64_t> requests{0};          ///< handed to a session
  std::atomic<std::uint64_t> protocol_errors{0};   ///< connections closed for what the client sent
  std::atomic<std::uint64_t> timed_out{0};         ///< connections closed by a time limit
};

}  // namespace weir::server
