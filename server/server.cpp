#include "server/server.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <utility>

namespace weir::server {
namespace {

/// Deadlines are kept to about a quarter of the shortest one, and are not looked at more often than needed.
std::int64_t sweep_interval_ms(const server_limits& most) {
  const auto shortest = std::min({most.idle_ms, most.frame_read_ms, most.write_ms});
  return std::clamp<std::int64_t>(shortest / 4, 5, 1'000);
}

/// Runs work on a thread and waits for it.
void run_on(io_thread& thread, const std::function<void()>& work) {
  std::promise<void> done;
  thread.post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace

/// Wakes stop() when a connection has closed.
struct kafka_server::close_signal {
  std::mutex mutex;
  std::condition_variable changed;
};

result<std::unique_ptr<kafka_server>> kafka_server::start(server_options options, session_factory& sessions) {
  if (options.listeners.empty()) return fail("no address to listen on: set `listeners`");
  if (options.io_threads == 0) return fail("at least one I/O thread is needed");
  if (auto valid = options.limits.check(); !valid) return tl::unexpected(valid.error());
  std::unique_ptr<kafka_server> made(new kafka_server());
  const auto sweep_ms = sweep_interval_ms(options.limits);
  for (std::size_t i = 0; i < options.io_threads; ++i) made->threads_.push_back(std::make_shared<io_thread>(sweep_ms));
  made->shared_ = std::make_shared<server_shared>(options.limits, [threads = made->threads_] {
    for (const auto& each : threads) each->wake_starved();
  });
  made->shared_->sessions = &sessions;
  if (auto opened = made->open_all(options); !opened) return tl::unexpected(opened.error());
  for (const auto& each : made->listeners_) each->start();
  for (const auto& each : made->threads_) each->start();
  made->running_ = true;
  return made;
}

result<void> kafka_server::open_all(const server_options& options) {
  closed_ = std::make_shared<close_signal>();
  open_ = std::make_shared<open_connections>();
  open_->on_close = [signal = closed_] {
    const std::lock_guard lock(signal->mutex);
    signal->changed.notify_all();
  };
  for (std::size_t i = 0; i < options.listeners.size(); ++i) {
    open_->per_listener.push_back(std::make_unique<std::atomic<std::size_t>>(0));
    auto made = listener::open(options.listeners[i], {i, shared_, open_, threads_});
    if (!made) return tl::unexpected(made.error());
    listeners_.push_back(std::move(*made));
  }
  return {};
}

kafka_server::~kafka_server() { stop(0); }

void kafka_server::stop(std::int64_t limit_ms) {
  if (!std::exchange(running_, false)) return;
  shared_->stopping = true;
  run_on(*threads_.front(), [this] {
    for (const auto& each : listeners_) each->stop();
  });
  for (const auto& each : threads_) {
    run_on(*each, [&each] {
      for (const auto& open : each->connections()) open->drain();
    });
  }
  {
    std::unique_lock lock(closed_->mutex);
    closed_->changed.wait_for(lock, std::chrono::milliseconds(limit_ms), [this] { return open_->total == 0; });
  }
  for (const auto& each : threads_) each->join();
}

server_stats kafka_server::stats() const {
  server_stats out;
  for (const auto& count : open_->per_listener) out.connections.push_back(count->load());
  const auto& totals = shared_->totals;
  out.requests_in_flight = shared_->budget.in_flight();
  out.accepted = totals.accepted;
  out.unfinished_bytes = shared_->buffers.held();
  out.held_back = totals.held_back;
  out.refused = totals.refused;
  out.requests = totals.requests;
  out.protocol_errors = totals.protocol_errors;
  out.timed_out = totals.timed_out;
  return out;
}

}  // namespace weir::server
