#include "gateway/upstream.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>
#include <vector>

#include "base/guarded.hpp"

namespace weir::gateway {

namespace asio = boost::asio;

namespace {

/// Memory for an answer grows with what has come of it, not with what its length claims.
constexpr std::size_t first_part_bytes = 64 * 1024;
/// How soon a client that had no room for more answers is looked at again.
constexpr std::int64_t room_pause_ms = 5;
constexpr std::size_t correlation_id_at = 8;  // in a request: behind length, key and version

std::int32_t int32_at(const bytes& frame, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | frame[at + i];
  return static_cast<std::int32_t>(value);
}

}  // namespace

upstream::upstream(asio::io_context& context, broker_address address, limits most)
    : context_(context),
      address_(std::move(address)),
      limits_(most),
      resolver_(context),
      socket_(context),
      connect_timer_(context),
      answer_timer_(context),
      room_timer_(context) {}

void upstream::send(bytes frame, patience wait, answer done) {
  const auto id = int32_at(frame, correlation_id_at);
  enqueue(std::move(frame), {id, wait, true, std::move(done)});
}

void upstream::send_unanswered(bytes frame, answer lost) {
  const auto id = int32_at(frame, correlation_id_at);
  enqueue(std::move(frame), {id, patience::client, false, std::move(lost)});
}

void upstream::enqueue(bytes frame, expected entry) {
  if (state_ == state::failed) {
    asio::post(context_, [done = std::move(entry.done), lost = address_.named("the connection is lost")] {
      done(weir::fail(lost));
    });
    return;
  }
  unsent_bytes_ += frame.size();
  outgoing_.push_back(std::move(frame));
  // One loss is worth one call, so requests without answers need not pile up.
  const bool told_anyway = !entry.answered && !waiting_.empty() && !waiting_.back().answered;
  const bool next = entry.answered && std::ranges::none_of(waiting_, &expected::answered);
  if (!told_anyway) waiting_.push_back(std::move(entry));
  if (next) watch_front();
  if (state_ == state::idle) return connect();
  if (state_ == state::open && writing_.empty()) write();
}

void upstream::close() noexcept {
  state_ = state::failed;
  waiting_.clear();
  outgoing_.clear();
  boost::system::error_code ignored;
  connect_timer_.cancel();
  answer_timer_.cancel();
  room_timer_.cancel();
  resolver_.cancel();
  socket_.close(ignored);
}

void upstream::connect() {
  state_ = state::connecting;
  const auto self = shared_from_this();
  connect_timer_.expires_after(std::chrono::milliseconds(limits_.connect_ms));
  connect_timer_.async_wait([self](boost::system::error_code failure) {
    if (!failure && self->state_ == state::connecting) self->fail("no connection in time");
  });
  resolver_.async_resolve(
      address_.host, std::to_string(address_.port),
      [self](boost::system::error_code failure, const asio::ip::tcp::resolver::results_type& found) {
        if (self->state_ != state::connecting) return;
        if (failure) return self->fail("cannot resolve: " + failure.message());
        asio::async_connect(self->socket_, found,
                            [self](boost::system::error_code refused, const asio::ip::tcp::endpoint&) {
                              if (self->state_ != state::connecting) return;
                              if (refused) return self->fail("cannot connect: " + refused.message());
                              boost::system::error_code ignored;
                              self->connect_timer_.cancel();
                              self->socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
                              self->state_ = state::open;
                              self->read_length();
                              self->write();
                            });
      });
}

/// Everything that has gathered goes out in one call.
void upstream::write() {
  if (outgoing_.empty()) return;
  writing_.swap(outgoing_);
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(writing_.size());
  for (const bytes& frame : writing_) buffers.push_back(asio::buffer(frame));
  asio::async_write(socket_, buffers, [self = shared_from_this()](boost::system::error_code failure, std::size_t) {
    for (const bytes& frame : self->writing_) self->unsent_bytes_ -= frame.size();
    self->writing_.clear();
    if (self->state_ != state::open) return;
    if (failure) return self->fail("write failed: " + failure.message());
    self->write();
  });
}

/// Without room it is read on while an answer to the gateway itself is to come: what fills the room may wait for that.
void upstream::read_next() {
  const bool asked_itself = std::ranges::find(waiting_, patience::bounded, &expected::wait) != waiting_.end();
  if (!room_ || asked_itself || room_()) return read_length();
  room_timer_.expires_after(std::chrono::milliseconds(room_pause_ms));
  room_timer_.async_wait([self = shared_from_this()](boost::system::error_code) {
    if (self->state_ == state::open) self->read_next();
  });
}

void upstream::read_length() {
  asio::async_read(socket_, asio::buffer(length_),
                   [self = shared_from_this()](boost::system::error_code failure, std::size_t) {
                     if (self->state_ != state::open) return;
                     if (failure) return self->fail("connection ended: " + failure.message());
                     std::uint32_t size = 0;
                     for (const auto byte : self->length_) size = size << 8 | byte;
                     if (size < 4 || size > self->limits_.frame_bytes_max)
                       return self->fail("an answer of " + std::to_string(size) + " bytes");
                     self->read_body(size);
                   });
}

void upstream::read_body(std::size_t size) {
  incoming_.assign(length_.begin(), length_.end());
  read_rest(size);
}

/// Reads until `size` more bytes are there, in parts that double.
void upstream::read_rest(std::size_t size) {
  const std::size_t here = incoming_.size();
  const std::size_t part = std::min(size, std::max(here, first_part_bytes));
  incoming_.resize(here + part);
  asio::async_read(socket_, asio::buffer(incoming_.data() + here, part),
                   [self = shared_from_this(), left = size - part](boost::system::error_code failure, std::size_t) {
                     if (self->state_ != state::open) return;
                     if (failure) return self->fail("connection ended: " + failure.message());
                     self->serve([&] { left > 0 ? self->read_rest(left) : self->take_answer(); });
                   });
}

/// No memory for an answer, or a fault of who takes it: the others that wait are told.
template <class Work>
void upstream::serve(Work work) noexcept {
  guarded(work, [this](const char* what) { fail(std::string("a fault while an answer was read: ") + what); });
}

void upstream::take_answer() {
  while (!waiting_.empty() && !waiting_.front().answered) waiting_.pop_front();
  if (waiting_.empty()) return fail("an answer that nobody asked for");
  const std::int32_t id = int32_at(incoming_, sizeof(std::int32_t));
  if (id != waiting_.front().correlation_id) {
    return fail("an answer to request " + std::to_string(id) + ", but " +
                std::to_string(waiting_.front().correlation_id) + " is next");
  }
  const answer done = std::move(waiting_.front().done);
  waiting_.pop_front();
  watch_front();
  done(std::exchange(incoming_, {}));
  if (state_ == state::open) read_next();
}

/// The time of an answer starts when it is the next to come.
void upstream::watch_front() {
  answer_timer_.cancel();
  ++watched_;
  const auto next = std::ranges::find(waiting_, true, &expected::answered);
  if (next == waiting_.end() || next->wait == patience::client) return;
  answer_timer_.expires_after(std::chrono::milliseconds(limits_.answer_ms));
  answer_timer_.async_wait([self = shared_from_this(), watched = watched_](boost::system::error_code cancelled) {
    if (cancelled || watched != self->watched_) return;  // a timer that has run off cannot be cancelled any more
    self->fail("no answer within " + std::to_string(self->limits_.answer_ms) + " ms");
  });
}

void upstream::fail(const std::string& reason) {
  if (state_ == state::failed) return;
  const auto waiting = std::exchange(waiting_, {});
  close();
  for (const expected& request : waiting) request.done(weir::fail(address_.named(reason)));
}

}  // namespace weir::gateway
