// What every simulated thread last said of itself; written by the threads, printed by the main one.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace weir::cli {

struct sim_row {
  std::string state = "starting";
  std::int32_t epoch = 0;
  std::string active;
  std::string standby;
  std::string warmup;
  bool operator==(const sim_row&) const = default;
};

class sim_board {
 public:
  using place = std::pair<int, int>;  ///< process, thread; from 1

  void set(place who, sim_row row) {
    const std::lock_guard lock(mutex_);
    auto& old = rows_[who];
    changed_ = changed_ || old != row;
    old = std::move(row);
  }

  /// The table if anything changed since the last call, else empty.
  [[nodiscard]] std::string take_changed();

 private:
  std::mutex mutex_;
  std::map<place, sim_row> rows_;
  bool changed_ = false;
};

}  // namespace weir::cli
