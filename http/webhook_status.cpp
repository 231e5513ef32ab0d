#include "http/webhook_status.hpp"

#include <utility>

#include "base/metrics.hpp"

namespace weir::http {

std::string_view name(webhook_outcome outcome) noexcept {
  switch (outcome) {
    case webhook_outcome::delivered: return "delivered";
    case webhook_outcome::refused: return "refused";
    case webhook_outcome::given_up: return "given-up";
    case webhook_outcome::dropped: return "dropped";
  }
  return "unknown";
}

webhook_status::webhook_status(webhook_about about) {
  state_.about = std::move(about);
  auto& events = weir::metrics::all().webhook_events;
  for (std::size_t i = 0; i < webhook_outcomes; ++i) {
    events.with({state_.about.name, name(static_cast<webhook_outcome>(i))});
  }
  weir::metrics::all().webhook_failures.with({state_.about.name});
  note_queue(0);
}

void webhook_status::note(webhook_outcome outcome) {
  const std::lock_guard lock(mutex_);
  ++state_.events[static_cast<std::size_t>(outcome)];
  if (outcome == webhook_outcome::delivered) state_.delivered_ms = time_.now_ms();
  weir::metrics::all().webhook_events.with({state_.about.name, name(outcome)}).add();
}

void webhook_status::note_failure(std::string_view why) {
  const std::lock_guard lock(mutex_);
  ++state_.attempts_failed;
  state_.failed_ms = time_.now_ms();
  state_.failure = why;
  weir::metrics::all().webhook_failures.with({state_.about.name}).add();
}

void webhook_status::note_queue(std::size_t queued) {
  const std::lock_guard lock(mutex_);
  state_.queued = queued;
  weir::metrics::all().webhook_queue.with({state_.about.name}).set(static_cast<std::int64_t>(queued));
}

webhook_state webhook_status::now() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace weir::http
