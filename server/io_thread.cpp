#include "server/io_thread.hpp"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "base/guarded.hpp"
#include "base/log.hpp"
#include "server/connection.hpp"

namespace weir::server {
namespace {

constexpr std::size_t read_buffer_bytes = std::size_t{128} * 1024;

}  // namespace

io_thread::io_thread(std::int64_t sweep_ms) : sweep_ms_(sweep_ms), read_buffer_(read_buffer_bytes) {}

io_thread::~io_thread() { join(); }

void io_thread::start() {
  thread_ = std::thread([this] {
    indispensable_thread("I/O thread", [this] {
      arm_sweep();
      context_.run();
    });
  });
}

void io_thread::join() {
  if (!thread_.joinable()) return;
  post([this] {
    for (const auto& each : connections()) each->close_now("server stops");
    sweep_timer_.cancel();
    work_.reset();
  });
  thread_.join();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    ready_.clear();
  }
  context_.restart();  // what was posted while the thread ended would keep its connections for ever
  context_.poll();
}

void io_thread::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (!ended_) boost::asio::post(context_, std::move(work));
}

void io_thread::ready(std::shared_ptr<connection> which) noexcept {
  guarded(
      [&] {
        bool wake = false;
        {
          const std::lock_guard lock(mutex_);
          if (ended_) return;
          ready_.push_back(std::move(which));
          wake = !std::exchange(woken_, true);
        }
        if (wake) boost::asio::post(context_, [this] { flush_ready(); });
      },
      [this](const char*) { missed_ = true; });
}

void io_thread::wake_starved() noexcept {
  guarded([this] { post([this] { resume_starved(); }); }, [this](const char*) { missed_ = true; });
}

void io_thread::flush_ready() {
  {
    const std::lock_guard lock(mutex_);
    flushing_.swap(ready_);
    woken_ = false;
  }
  for (const auto& each : flushing_) each->flush();
  flushing_.clear();
}

std::int64_t io_thread::now_ms() noexcept {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

void io_thread::add(std::shared_ptr<connection> which) { connections_.insert(std::move(which)); }

void io_thread::remove(const std::shared_ptr<connection>& which) { connections_.erase(which); }

void io_thread::resume_starved() {
  for (const auto& each : std::exchange(starved_, {})) {
    if (const auto waiting = each.lock()) waiting->resume();
  }
}

std::vector<std::shared_ptr<connection>> io_thread::connections() const {
  return {connections_.begin(), connections_.end()};
}

void io_thread::sweep() {
  const auto all = connections();
  for (const auto& each : all) each->check_deadlines(now_ms());
  if (!missed_.exchange(false)) return;
  flush_ready();
  for (const auto& each : all) each->flush();
  resume_starved();
}

void io_thread::arm_sweep() {
  sweep_timer_.expires_after(std::chrono::milliseconds(sweep_ms_));
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    sweep();
    arm_sweep();
  });
}

}  // namespace weir::server
