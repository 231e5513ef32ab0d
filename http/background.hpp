// A thread for what takes long, so that neither the HTTP thread nor a group waits for it. Where there are not enough
// processors for all, it gets what the others leave.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace weir::http {

class background {
 public:
  /// `waiting_max`: how much may wait while something runs.
  explicit background(std::size_t waiting_max);
  /// Ends.
  ~background();
  background(const background&) = delete;
  background& operator=(const background&) = delete;

  /// Runs `work` after everything before it, unless `is_wanted` says by then that nobody waits for it any longer; what
  /// it throws is logged. False: too much is waiting that is still wanted, or it is stopped; it is not run. `is_wanted`
  /// may be empty; it is called on any thread, must not block and not use this.
  [[nodiscard]] bool run(std::function<void()> work, std::function<bool()> is_wanted = {});
  /// Drops what waits; nothing is begun from here on. Does not wait for what runs.
  void stop();
  /// Whether nothing runs any more, at the latest after `wait_ms`. After stop().
  [[nodiscard]] bool is_quiet(std::int64_t wait_ms);
  /// stop(), and waits for what runs. Not by what it runs itself. Once is enough.
  void end();

 private:
  struct job {
    std::function<void()> work;
    std::function<bool()> is_wanted;

    [[nodiscard]] bool wanted() const { return !is_wanted || is_wanted(); }
  };
  void loop();

  std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<job> waiting_;
  bool is_stopped_ = false;
  bool is_running_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace weir::http
