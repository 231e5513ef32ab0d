#include "server/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/guarded.hpp"
#include "base/log.hpp"

namespace weir::server {
namespace {

/// Most requests of one connection handed over before the others of its thread get their turn.
constexpr std::size_t requests_per_turn_max = 32;
/// Most frames handed to one write.
constexpr std::size_t write_parts_max = 64;

}  // namespace

connection::connection(std::shared_ptr<io_thread> io, std::shared_ptr<server_shared> shared, connection_info info,
                       std::unique_ptr<transport> bytes, std::function<void()> closed)
    : io_(std::move(io)),
      shared_(std::move(shared)),
      info_(std::move(info)),
      transport_(std::move(bytes)),
      closed_(std::move(closed)),
      cutter_(shared_->limits.frame_bytes_max) {}

// Requests in the making keep their connection alive, so what is given back here is what nobody will answer any more.
connection::~connection() { shared_->budget.give(held_); }

/// Whatever is thrown while a request of this connection is handled ends this connection alone.
template <class Work>
void connection::serve(Work work) noexcept {
  guarded(work, [this](const char* what) { fault(what); });
}

void connection::start() noexcept {
  serve([this] {
    if (shared_->stopping) return close_now("server stops");
    last_use_ms_ = io_thread::now_ms();
    io_->add(shared_from_this());
    session_ = shared_->sessions->open(shared_from_this());
    wait_for_more();
  });
}

// ---- reading ----

void connection::on_readable(bool broken) noexcept {
  serve([&] {
    waiting_read_ = false;
    if (!transport_) return;
    if (broken) return close_now("connection broken");
    if (takes_requests()) read();
  });
}

void connection::read() {
  const auto buffer = read_buffer();
  if (buffer.empty()) {
    no_room_ = true;
    shared_->totals.held_back.fetch_add(1, std::memory_order_relaxed);
    return io_->starve(weak_from_this());
  }
  const auto got = transport_->read_some(buffer);
  switch (got.what) {
    case io_count::state::ended: return client_ended();
    case io_count::state::failed: return close_now("connection broken");
    case io_count::state::blocked: break;
    case io_count::state::moved:
      last_use_ms_ = io_thread::now_ms();
      cutter_.append(buffer.first(got.bytes));
      break;
  }
  take_requests();
}

/// What may be read now. Small frames never wait for the memory that others have in large ones.
std::span<std::uint8_t> connection::read_buffer() {
  const auto whole = io_->read_buffer();
  const auto pending = cutter_.pending();
  if (shared_->buffers.has_room()) return whole;
  if (pending < protocol::kept_bytes_max) {
    return whole.first(std::min(whole.size(), protocol::kept_bytes_max - pending));
  }
  return shared_->buffers.may_grow(this) ? whole : whole.first(0);
}

/// Counts the connection's memory, if it is more than each one may keep.
void connection::count_buffer() {
  cutter_.trim();
  const auto held = cutter_.buffer_bytes();
  const auto now = held > protocol::kept_bytes_max ? held : 0;
  if (now != unfinished_bytes_) shared_->buffers.change(std::exchange(unfinished_bytes_, now), now);
}

void connection::drop_buffer() {
  cutter_ = protocol::frame_cutter(shared_->limits.frame_bytes_max);
  count_buffer();
  shared_->buffers.pass_on(this);
}

/// A client may end its side and still wait for the answers to what it sent (RFC 9293, 3.6); one that is gone for good
/// looks the same until it is written to.
void connection::client_ended() {
  ended_ = true;
  frame_deadline_ms_ = 0;
  drop_buffer();
  if (held_ == 0) return close_now("closed by the client");
  if (end_deadline_ms_ == 0) end_deadline_ms_ = io_thread::now_ms() + shared_->limits.write_ms;
}

/// Hands over every complete frame that the limits allow, but no more than a turn's worth: other connections of this
/// thread come in between, and so does writing, which finds out whether the client takes its answers.
void connection::take_requests() {
  bool frame_ended = false;
  std::size_t taken = 0;
  while (takes_requests() && may_take_one()) {
    if (++taken > requests_per_turn_max) {
      give_back_one();
      io_->post([self = shared_from_this()] { self->resume(); });
      frame_deadline_ms_ = 0;
      shared_->buffers.pass_on(this);
      return count_buffer();
    }
    const auto frame = cutter_.next();
    if (!frame) {
      offend(frame.error().message);
      break;
    }
    if (!*frame) {
      give_back_one();
      break;
    }
    frame_ended = true;
    if (!take_one(**frame)) break;
  }
  if (!transport_) return;
  if (frame_ended) {
    frame_deadline_ms_ = 0;
    shared_->buffers.pass_on(this);
  }
  count_buffer();
  wait_for_more();
}

void connection::give_back_one() {
  shared_->budget.give(1);
  --held_;
}

/// Reserves a request within both limits. A client that does not take its answers gets no further ones.
bool connection::may_take_one() {
  if (at_a_limit()) return false;
  if (shared_->budget.try_take()) {
    ++held_;
    return true;
  }
  starved_ = true;
  io_->starve(weak_from_this());
  return false;
}

bool connection::at_a_limit() const {
  const auto& most = shared_->limits;
  return starved_ || waiting_write_ || held_ >= most.in_flight_per_connection_max ||
         untaken_bytes() >= most.untaken_bytes_per_connection_max;
}

bool connection::take_one(byte_view frame) {
  auto kept = protocol::keep(frame);
  auto opened = protocol::open_request(*kept);
  if (!opened) {
    offend(opened.error().message);
    return false;
  }
  shared_->totals.requests.fetch_add(1, std::memory_order_relaxed);
  const auto slot = answers_.reserve();
  const auto taken =
      session_->on_request({std::move(kept), std::move(opened->header), opened->body, shared_from_this(), slot});
  if (!taken) offend(taken.error().message);
  return taken.has_value();
}

/// A stopped reader is not the client's fault: its frame deadline rests. Only without room for the frame it goes on, so
/// that nobody has memory for longer while others wait for it.
void connection::wait_for_more() {
  if (!takes_requests()) return;
  if (at_a_limit()) {
    frame_deadline_ms_ = 0;
    return shared_->buffers.pass_on(this);
  }
  if (cutter_.pending() > 0 && frame_deadline_ms_ == 0) {
    frame_deadline_ms_ = io_thread::now_ms() + shared_->limits.frame_read_ms;
  }
  if (no_room_) return;
  if (!std::exchange(waiting_read_, true)) transport_->wait_readable(shared_from_this());
}

void connection::resume() noexcept {
  serve([this] {
    starved_ = no_room_ = false;
    if (transport_) take_requests();
  });
}

// ---- answering ----

void connection::answer(std::uint64_t slot, bytes frame) noexcept {
  if (answers_.put(slot, std::move(frame))) io_->ready(shared_from_this());
}

void connection::flush() noexcept {
  serve([this] {
    if (!transport_) return;
    if (!unwritten_.empty()) return;  // on_writable() comes back here
    write();
  });
}

void connection::on_writable(bool broken) noexcept {
  serve([&] {
    waiting_write_ = false;
    if (!transport_) return;
    if (broken) return close_now("connection broken");
    write();
  });
}

/// Writes until the client takes no more or no prefix of answers is ready.
void connection::write() {
  while (transport_) {
    if (unwritten_.empty()) {
      answers_.take_ready(unwritten_);
      if (unwritten_.empty()) return after_write();
      for (const bytes& frame : unwritten_) unwritten_bytes_ += frame.size();
    }
    if (!write_once()) return;
  }
}

/// False: closed, or waiting for the client.
bool connection::write_once() {
  std::array<byte_view, write_parts_max> parts;
  const auto waiting = std::span(unwritten_).subspan(unwritten_first_);
  const auto count = std::min(parts.size(), waiting.size());
  std::copy_n(waiting.begin(), count, parts.begin());
  parts[0] = parts[0].subspan(unwritten_offset_);
  const bool nothing = std::all_of(parts.begin(), parts.begin() + count, [](byte_view part) { return part.empty(); });
  const auto got = nothing ? io_count{} : transport_->write_some(std::span(parts).first(count));
  if (got.what == io_count::state::moved) {
    written(got.bytes);
    return true;
  }
  if (got.what != io_count::state::blocked) {
    close_now("connection broken");
    return false;
  }
  if (write_deadline_ms_ == 0) write_deadline_ms_ = io_thread::now_ms() + shared_->limits.write_ms;
  if (!std::exchange(waiting_write_, true)) transport_->wait_writable(shared_from_this());
  return false;
}

void connection::written(std::size_t count) {
  write_deadline_ms_ = 0;
  std::size_t answered = 0;
  while (unwritten_first_ < unwritten_.size()) {
    auto& front = unwritten_[unwritten_first_];
    const auto left = front.size() - unwritten_offset_;
    if (count < left) break;
    count -= left;
    unwritten_bytes_ -= front.size();
    bytes().swap(front);
    ++unwritten_first_;
    unwritten_offset_ = 0;
    ++answered;
  }
  unwritten_offset_ += count;
  if (unwritten_first_ == unwritten_.size()) {
    unwritten_.clear();
    unwritten_first_ = 0;
  }
  if (end_deadline_ms_ != 0) end_deadline_ms_ = io_thread::now_ms() + shared_->limits.write_ms;
  held_ -= answered;
  shared_->budget.give(answered);
}

void connection::after_write() {
  last_use_ms_ = io_thread::now_ms();
  if (draining_ || ended_) {
    if (held_ == 0) close_now(draining_ ? "server stops" : "closed by the client");
  } else if (!waiting_read_) {
    take_requests();
  }
}

// ---- limits and the end ----

void connection::check_deadlines(std::int64_t now_ms) noexcept {
  serve([&] {
    if (transport_) close_if_late(now_ms);
  });
}

void connection::close_if_late(std::int64_t now_ms) {
  if (frame_deadline_ms_ != 0 && now_ms >= frame_deadline_ms_) {
    return time_out(fmt::format("a frame did not end within {} ms", shared_->limits.frame_read_ms));
  }
  if (write_deadline_ms_ != 0 && now_ms >= write_deadline_ms_) {
    return time_out(fmt::format("the client took no answer for {} ms", shared_->limits.write_ms));
  }
  if (end_deadline_ms_ != 0 && now_ms >= end_deadline_ms_) {
    return time_out(
        fmt::format("the client has ended its side and nothing was answered for {} ms", shared_->limits.write_ms));
  }
  if (!waiting_read_) return look_at_peer();
  if (held_ == 0 && now_ms - last_use_ms_ >= shared_->limits.idle_ms) {
    time_out(fmt::format("idle for {} ms", shared_->limits.idle_ms));
  }
}

/// Nobody reads, so nobody would see the end.
void connection::look_at_peer() {
  switch (transport_->peer()) {
    case peer_state::open: end_deadline_ms_ = 0; break;
    case peer_state::ended:
      if (end_deadline_ms_ == 0) end_deadline_ms_ = io_thread::now_ms() + shared_->limits.write_ms;
      break;
    case peer_state::gone: return close_now("connection broken");
  }
}

void connection::drain() {
  draining_ = true;
  frame_deadline_ms_ = 0;
  if (transport_ && held_ == 0) close_now("server stops");
}

std::size_t connection::untaken_bytes() const { return answers_.held_bytes() + unwritten_bytes_; }

void connection::close(std::string reason) {
  io_->post([self = shared_from_this(), reason = std::move(reason)] {
    if (self->transport_) self->tell_and_shut(log::level::warn, reason);
  });
}

void connection::close_now(std::string_view reason) {
  if (!transport_) return;
  log::debug("connection closed", {{"client", info_.peer}, {"listener", info_.listener}, {"reason", reason}});
  shut();
}

void connection::time_out(std::string_view reason) {
  shared_->totals.timed_out.fetch_add(1, std::memory_order_relaxed);
  tell_and_shut(log::level::info, reason);
}

void connection::offend(std::string_view reason) {
  shared_->totals.protocol_errors.fetch_add(1, std::memory_order_relaxed);
  tell_and_shut(log::level::warn, reason);
}

/// There may be no memory for the line: closing comes first.
void connection::fault(const char* what) {
  if (!transport_) return;
  shut();
  tell(log::level::error, fmt::format("a fault while it was served: {}", what));
}

void connection::tell_and_shut(log::level at, std::string_view reason) {
  tell(at, reason);
  shut();
}

/// Clients choose how often this happens.
void connection::tell(log::level at, std::string_view reason) {
  shared_->closings.write(at, "connection closed",
                          {{"client", info_.peer}, {"listener", info_.listener}, {"reason", reason}});
}

void connection::shut() {
  const auto self = shared_from_this();
  transport_.reset();
  drop_buffer();
  answers_.close();
  unwritten_.clear();
  unwritten_bytes_ = 0;
  if (session_) session_->on_close();
  io_->remove(self);
  closed_();
}

}  // namespace weir::server
