#include "http/background.hpp"

#include <unistd.h>

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

void background::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool background::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void background::loop() {
  [[maybe_unused]] const int now = nice(niceness);  // of this thread only, on Linux
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      work();
    } catch (const std::exception& fault) {
      log::error("a fault in the background of the admin API", {{"reason", fault.what()}});
    }
    work = nullptr;  // what it held may be large
    lock.lock();
  }
}

}  // namespace weir::http
