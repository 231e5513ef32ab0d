#include "server/answer_queue.hpp"

#include <utility>

namespace weir::server {

std::uint64_t answer_queue::reserve() {
  const std::lock_guard lock(mutex_);
  if (next_ - first_ == ring_.size()) grow();
  return next_++;
}

bool answer_queue::put(std::uint64_t slot, bytes frame) {
  const std::lock_guard lock(mutex_);
  if (closed_ || slot < first_ || slot >= next_ || at(slot).ready) return false;
  auto& state = at(slot);
  held_bytes_ += frame.size();
  state.frame = std::move(frame);
  state.ready = true;
  if (owner_knows_ || !at(first_).ready) return false;
  owner_knows_ = true;
  return true;
}

void answer_queue::take_ready(std::vector<bytes>& out) {
  const std::lock_guard lock(mutex_);
  const auto before = first_;
  for (; first_ < next_ && at(first_).ready; ++first_) {
    held_bytes_ -= at(first_).frame.size();
    out.push_back(std::move(at(first_).frame));
    at(first_) = slot_state{};
  }
  if (first_ == before) owner_knows_ = false;
}

std::size_t answer_queue::held_bytes() const {
  const std::lock_guard lock(mutex_);
  return held_bytes_;
}

void answer_queue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  first_ = next_;
  held_bytes_ = 0;
  ring_.clear();
}

void answer_queue::grow() {
  std::vector<slot_state> larger(ring_.empty() ? 4 : ring_.size() * 2);
  for (auto slot = first_; slot < next_; ++slot) larger[slot & (larger.size() - 1)] = std::move(at(slot));
  ring_ = std::move(larger);
}

}  // namespace weir::server
