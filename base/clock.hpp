// The one source of time. Rules take `now_ms` as an argument; shells read it here.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

/// Port. now_ms() is wall-clock time in milliseconds since the epoch: it is stored in records (assignment timestamp,
/// commit time) and compared with itself after a restart. Any thread may read.
class clock {
 public:
  virtual ~clock() = default;
  [[nodiscard]] virtual std::int64_t now_ms() const noexcept = 0;
};

/// The wall clock as of its making, moved on by the steady clock: a step of the wall clock, forth or back, neither
/// expires a member nor keeps one alive.
class system_clock final : public clock {
 public:
  system_clock() noexcept;
  [[nodiscard]] std::int64_t now_ms() const noexcept override;

 private:
  std::int64_t offset_ms_;  // wall minus steady
};

/// For tests and simulations.
class manual_clock final : public clock {
 public:
  explicit manual_clock(std::int64_t start_ms = 1'000'000) : now_(start_ms) {}
  [[nodiscard]] std::int64_t now_ms() const noexcept override { return now_; }
  void advance(std::int64_t ms) noexcept { now_ += ms; }

 private:
  std::atomic<std::int64_t> now_;
};

}  // namespace weir
