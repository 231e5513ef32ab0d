// io_thread: one thread, one io_context, and the connections that live on it. A connection never changes its thread, so
// only answers, which come from other threads, need a lock.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/bytes.hpp"

namespace weir::server {

class connection;

/// Kept alive by its connections; join() before the last owner that may be another thread lets go.
class io_thread : public std::enable_shared_from_this<io_thread> {
 public:
  /// Deadlines of connections are looked at every `sweep_ms`.
  explicit io_thread(std::int64_t sweep_ms);
  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;
  ~io_thread();

  void start();
  /// Closes what is left and ends the thread; waits for it. Afterwards ready() does nothing.
  void join();

  [[nodiscard]] boost::asio::io_context& context() noexcept { return context_; }
  /// Runs `work` on this thread, later. Any thread.
  void post(std::function<void()> work);
  /// The connection has answers to write. Any thread; one wake-up serves all that come before it. Without memory for
  /// that the next look at the deadlines writes them.
  void ready(std::shared_ptr<connection> which) noexcept;
  /// Something that connections wait for is there: see starve(). Any thread.
  void wake_starved() noexcept;

  // The rest is for this thread only.

  /// Where everybody reads into, so that an idle connection owns no buffer.
  [[nodiscard]] std::span<std::uint8_t> read_buffer() noexcept { return read_buffer_; }
  [[nodiscard]] static std::int64_t now_ms() noexcept;
  void add(std::shared_ptr<connection> which);
  void remove(const std::shared_ptr<connection>& which);
  /// The connection waits for a free request of the process, or for memory; wake_starved() wakes it. Not kept alive: a
  /// closed one gives back its requests only when it ends, and others may be waiting for just those.
  void starve(std::weak_ptr<connection> which) { starved_.push_back(std::move(which)); }
  [[nodiscard]] std::vector<std::shared_ptr<connection>> connections() const;

 private:
  void resume_starved();
  void flush_ready();
  void sweep();
  void arm_sweep();

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
  boost::asio::steady_timer sweep_timer_{context_};
  std::int64_t sweep_ms_;
  bytes read_buffer_;
  std::unordered_set<std::shared_ptr<connection>> connections_;
  std::vector<std::weak_ptr<connection>> starved_;
  std::vector<std::shared_ptr<connection>> flushing_;  // keeps its memory between wake-ups

  std::atomic<bool> missed_{false};  // there was no memory to tell this thread something

  std::mutex mutex_;
  std::vector<std::shared_ptr<connection>> ready_;
  bool woken_ = false;
  bool ended_ = false;

  std::thread thread_;
};

}  // namespace weir::server
