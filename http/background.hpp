// A thread for what takes long, so that neither the HTTP thread nor a group waits for it. Where there are not enough
// processors for all, it gets what the others leave.
#pragma once

#include <condition_variable>
#include <cstddef>
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

  /// Runs `work` after everything before it; what it throws is logged. False: too much is waiting, or it has ended; it
  /// is not run.
  [[nodiscard]] bool run(std::function<void()> work);
  /// Does what waits and returns then. Not by what it runs itself. Once is enough.
  void end();

 private:
  void loop();

  std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace weir::http
