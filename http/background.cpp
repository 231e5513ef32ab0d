#include "http/background.hpp"

#include <unistd.h>

#include <chrono>
#include <exception>
#include <utility>

#include "base/log.hpp"

namespace weir::http {
namespace {

/// Of a thread that is ready together with one of niceness 0 it gets a tenth of the processor (man 7 sched).
constexpr int niceness = 10;

}  // namespace

background::background(std::size_t waiting_max) : waiting_max_(waiting_max), thread_([this] { loop(); }) {}

background::~background() { end(); }

void background::stop() {
  std::deque<job> dropped;  // goes without the lock: it may hold a connection
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    dropped.swap(waiting_);
  }
  changed_.notify_all();
}

bool background::is_quiet(std::int64_t wait_ms) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::milliseconds(wait_ms), [this] { return !is_running_; });
}

void background::end() {
  stop();
  if (thread_.joinable()) thread_.join();
}

bool background::run(std::function<void()> work, std::function<bool()> is_wanted) {
  std::deque<job> dropped;
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return false;
    if (waiting_.size() >= waiting_max_) {
      dropped.swap(waiting_);
      for (job& one : dropped) {
        if (one.wanted()) waiting_.push_back(std::move(one));
      }
    }
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back({std::move(work), std::move(is_wanted)});
  }
  changed_.notify_all();
  return true;
}

void background::loop() {
  [[maybe_unused]] const int now = nice(niceness);  // of this thread only, on Linux
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    if (is_stopped_) return;
    job next = std::move(waiting_.front());
    waiting_.pop_front();
    is_running_ = true;
    lock.unlock();
    try {
      if (next.wanted()) next.work();
    } catch (const std::exception& fault) {
      log::error("a fault in the background of the admin API", {{"reason", fault.what()}});
    }
    next = {};  // what it held may be large
    lock.lock();
    is_running_ = false;
    changed_.notify_all();
  }
}

}  // namespace weir::http
