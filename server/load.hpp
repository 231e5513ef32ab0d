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

/// Memory of unfinished frames in the whole process. Above the limit one connection at a time is favoured: it may go on
/// to the end of its frame, so what is there moves on although everybody else waits. Who waits is told, through the
/// function given, when to try again. Any thread.
class buffer_budget {
 public:
  /// `available` is called from any thread and must not block.
  buffer_budget(std::size_t most, std::function<void()> available) : most_(most), available_(std::move(available)) {}

  [[nodiscard]] bool has_room() const noexcept { return held_ < most_; }
  /// Whether `who` may read more of its large frame.
  [[nodiscard]] bool may_grow(const void* who) noexcept {
    do {
      if (has_room()) return true;
      const void* favoured = nullptr;
      if (favoured_.compare_exchange_strong(favoured, who) || favoured == who) return true;
    } while (!starving_.exchange(true));  // look again: room may have come before we were seen to wait
    return false;
  }
  /// Somebody held `before` bytes, and now `after`.
  void change(std::size_t before, std::size_t after) noexcept {
    held_ += after - before;  // may wrap around, and comes out right
    if (after < before) wake();
  }
  /// `who` has come to the end of its frame or reads no more for now: another may be favoured.
  void pass_on(const void* who) noexcept {
    if (favoured_ == who && favoured_.compare_exchange_strong(who, nullptr)) wake();
  }
  [[nodiscard]] std::size_t held() const noexcept { return held_; }

 private:
  void wake() noexcept {
    if (starving_ && starving_.exchange(false)) available_();
  }

  std::size_t most_;
  std::function<void()> available_;
  std::atomic<std::size_t> held_{0};
  std::atomic<const void*> favoured_{nullptr};
  std::atomic<bool> starving_{false};
};

/// Totals since the start; read by metrics.
struct server_totals {
  std::atomic<std::uint64_t> accepted{0};          ///< connections
  std::atomic<std::uint64_t> refused{0};           ///< connections above a limit
  std::atomic<std::uint64_t> held_back{0};         ///< reads put off: too much memory in unfinished frames
  std::atomic<std::uint64_t> requests{0};          ///< handed to a session
  std::atomic<std::uint64_t> protocol_errors{0};   ///< connections closed for what the client sent
  std::atomic<std::uint64_t> timed_out{0};         ///< connections closed by a time limit
};

}  // namespace weir::server
