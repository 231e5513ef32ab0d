#include "actors/log_actor.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weir::actors {

void outcome_box::open(actor_handle reader) {
  const std::lock_guard lock(mutex_);
  reader_ = std::move(reader);
}

void outcome_box::close() {
  const std::lock_guard lock(mutex_);
  reader_ = nullptr;
  outcomes_.clear();
  actions_.clear();
}

void outcome_box::put(append_outcome outcome) {
  const std::lock_guard lock(mutex_);
  if (!reader_) return;
  outcomes_.push_back(std::move(outcome));
  if (outcomes_.size() == 1) tell(reader_, outcomes_message{});
}

void outcome_box::put(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  if (!reader_) return;
  actions_.push_back(std::move(action));
  tell(reader_, outcomes_message{});
}

std::vector<append_outcome> outcome_box::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcomes_, {});
}

std::vector<std::function<void()>> outcome_box::take_actions() {
  const std::lock_guard lock(mutex_);
  return std::exchange(actions_, {});
}

void log_appender::append(group_append append) {
  storage::append_request request;
  request.group_id = append.group_id;
  request.incarnation = append.incarnation;
  request.records = std::move(append.records);
  request.writes = std::move(append.writes);
  append_outcome outcome{std::move(append.group_id), append.incarnation, append.number, {}};
  request.done = [box = outcomes_, outcome = std::move(outcome)](result<void> ended) mutable {
    if (!ended) outcome.failure = std::move(ended.error().message);
    box->put(std::move(outcome));
  };
  log_.append(std::move(request));
}

message_handlers log_actor::make_behavior() {
  return {[this](const outcomes_message&) {
    for (const auto& action : outcomes_->take_actions()) action();
    std::map<std::pair<std::string, std::uint64_t>, log_progress_message> progress;
    for (auto& outcome : outcomes_->take()) {
      auto& message = progress[{std::move(outcome.group_id), outcome.incarnation}];
      message.incarnation = outcome.incarnation;
      if (outcome.failure) {
        if (!message.failure) message.failure = std::move(outcome.failure);
      } else {
        message.durable = std::max(message.durable, outcome.number);
      }
    }
    for (const auto& [key, message] : progress) groups_->tell_existing(key.first, message);
  }};
}

}  // namespace weir::actors
