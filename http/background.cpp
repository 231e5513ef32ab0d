#include "http/background.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"

namespace weir::http {

background::background(std::size_t waiting_max) : waiting_max_(waiting_max), thread_([this] { loop(); }) {}

background::~background() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool background::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void background::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      work();
    } catch (const std::exception& fault) {
      log::error("a fault in the background of the admin API", {{"reason", fault.what()}});
    }
    lock.lock();
  }
}

}  // namespace weir::http
