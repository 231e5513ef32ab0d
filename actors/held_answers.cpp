#include "actors/held_answers.hpp"

#include <utility>

#include "base/metrics.hpp"

namespace weir::actors {

void held_answers::hold(std::uint64_t append, std::int64_t deadline_ms, std::shared_ptr<pending_answer> request,
                        std::function<void()> release) {
  held_.push_back({append, deadline_ms, std::move(request), std::move(release), std::chrono::steady_clock::now()});
  count(counters_.answers_held);
  count(counters_.held_now);
}

void held_answers::release(std::uint64_t durable) {
  while (!held_.empty() && held_.front().append <= durable) take_front().release();
}

void held_answers::expire(std::int64_t now_ms) {
  while (!held_.empty() && held_.front().deadline_ms <= now_ms) {
    count(counters_.answers_timed_out);
    take_front().request->reject(protocol::error_code::coordinator_not_available);
  }
}

void held_answers::reject_all(protocol::error_code code) {
  while (!held_.empty()) take_front().request->reject(code);
}

held_answers::held held_answers::take_front() {
  static auto& waited = metrics::all().held_time.get();
  auto front = std::move(held_.front());
  held_.pop_front();
  counters_.held_now.fetch_sub(1, std::memory_order_relaxed);
  waited.observe(metrics::microseconds_since(front.since));
  return front;
}

}  // namespace weir::actors
