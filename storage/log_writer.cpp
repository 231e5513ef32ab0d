#include "storage/log_writer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/log.hpp"
#include "base/metrics.hpp"

namespace weir::storage {

namespace {

constexpr std::string_view queue_full = "the queue of the log is full";

void end_this_process(const std::string& why) {
  log::error("the log could not be flushed; ending, a restart finds out what is durable", {{"reason", why}});
  std::_Exit(EXIT_FAILURE);
}

log_writer_options with_defaults(log_writer_options options) {
  if (!options.end_process) options.end_process = end_this_process;
  return options;
}

}  // namespace

log_writer::log_writer(batch_store& store, log_writer_options options)
    : store_(store), options_(with_defaults(std::move(options))), thread_([this] { run(); }) {}

log_writer::~log_writer() { stop(); }

void log_writer::push(pending_append append) {
  if (const auto refused = enqueue(append)) append.done(fail(*refused));
}

/// Why the append has to be refused at once; nothing if it has been dealt with.
std::optional<std::string> log_writer::enqueue(pending_append& append) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return "the log has been stopped";
  const bool room =
      queue_.size() < options_.queue_appends_max && queue_bytes_ + append.bytes <= options_.queue_bytes_max;
  if (!room) {
    if (append.group_id.empty()) return std::string(queue_full);
    if (!refuse_for_room(append)) return std::nullopt;
  }
  queue_bytes_ += append.bytes;
  append.queued_at = std::chrono::steady_clock::now();
  queue_.push_back(std::move(append));
  ++queued_;
  measure();
  work_.notify_one();
  return std::nullopt;
}

/// False if a refusal of the same group waits already: then this one need not.
bool log_writer::refuse_for_room(pending_append& append) {
  const auto [waiting, first] = refused_.try_emplace(append.group_id, append.incarnation);
  if (!first && waiting->second >= append.incarnation) return false;
  waiting->second = append.incarnation;
  append.refused = queue_full;
  append.changes = {};
  append.bytes = 0;
  return true;
}

void log_writer::measure() noexcept {
  full_ = queue_.size() >= options_.queue_appends_max || queue_bytes_ >= options_.queue_bytes_max;
}

void log_writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    work_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

std::optional<std::string> log_writer::not_writable() const {
  const std::lock_guard lock(mutex_);
  return not_writable_;
}

void log_writer::run() {
  while (wait_for_work()) {
    if (auto taken = take_batch(); !taken.empty()) write(std::move(taken));
    if (room_wanted_ == 0 || std::chrono::steady_clock::now() < next_probe_) continue;
    note(store_.probe(room_wanted_), room_wanted_);
  }
}

/// False once there is nothing left to do for good. True with an empty queue: time to probe.
bool log_writer::wait_for_work() {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return stopping_ || !queue_.empty(); };
  if (room_wanted_ > 0) {
    work_.wait_until(lock, next_probe_, ready);
  } else {
    work_.wait(lock, ready);
  }
  return !(stopping_ && queue_.empty());
}

log_writer::batch log_writer::take_batch() {
  const std::lock_guard lock(mutex_);
  batch taken;
  std::size_t bytes = 0;
  while (!queue_.empty() && taken.size() < options_.batch_appends_max) {
    auto& next = queue_.front();
    if (!taken.empty() && bytes + next.bytes > options_.batch_bytes_max) break;
    bytes += next.bytes;
    queue_bytes_ -= next.bytes;
    if (next.refused == queue_full) refused_.erase(next.group_id);
    taken.push_back(std::move(next));
    queue_.pop_front();
  }
  measure();
  return taken;
}

void log_writer::write(batch taken) {
  refuse_dependents(taken);
  std::vector<const pending_append*> writable;
  writable.reserve(taken.size());
  for (const auto& append : taken) {
    if (!append.refused && !append.changes.empty()) writable.push_back(&append);
  }
  write_result outcome;
  if (!writable.empty()) {
    metrics::all().log_linger.get().observe(metrics::microseconds_since(writable.front()->queued_at));
    const auto began = std::chrono::steady_clock::now();
    outcome = store_.write(writable);
    metrics::all().log_flush.get().observe(metrics::microseconds_since(began));
    std::size_t bytes = 0;
    for (const auto* append : writable) bytes += append->bytes;
    metrics::all().log_batch_appends.get().observe(writable.size());
    metrics::all().log_batch_bytes.get().observe(bytes);
    note(outcome, bytes);
  }
  settle(taken, outcome);
}

/// An append whose group has a failed one before it was decided on state that never became durable.
void log_writer::refuse_dependents(batch& taken) {
  for (auto& append : taken) {
    if (append.group_id.empty()) continue;
    const auto failed = failed_groups_.find(append.group_id);
    if (failed != failed_groups_.end()) {
      if (append.incarnation > failed->second) {
        failed_groups_.erase(failed);
      } else if (!append.refused) {
        append.refused = "an earlier write of the group failed";
      }
    }
    if (append.refused) failed_groups_.insert_or_assign(append.group_id, append.incarnation);
  }
}

void log_writer::settle(batch& taken, const write_result& outcome) {
  for (auto& append : taken) {
    if (!append.refused && !append.changes.empty() && outcome.verdict != write_verdict::durable) {
      append.refused = outcome.why;
      if (!append.group_id.empty()) failed_groups_.insert_or_assign(append.group_id, append.incarnation);
    }
    --queued_;
    failed_count_ = failed_groups_.size();
    if (append.refused) {
      append.done(fail(std::move(*append.refused)));
    } else {
      append.done({});
    }
  }
}

void log_writer::note(const write_result& outcome, std::size_t bytes) {
  if (outcome.verdict == write_verdict::unknown) options_.end_process(outcome.why);
  const std::lock_guard lock(mutex_);
  if (outcome.verdict == write_verdict::durable) {
    if (bytes < room_wanted_) return;
    if (not_writable_) log::info("the log can be written again");
    not_writable_.reset();
    room_wanted_ = 0;
  } else {
    room_wanted_ = std::max({room_wanted_, bytes, options_.batch_bytes_max});
    next_probe_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.probe_interval_ms);
    if (!not_writable_) log::error("the log cannot be written", {{"reason", outcome.why}});
    not_writable_ = outcome.why;
  }
}

}  // namespace weir::storage
