#include "gateway/upstream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>
#include <vector>

namespace weir::gateway {

namespace asio = boost::asio;

upstream::upstream(asio::io_context& context, broker_address address, limits most)
    : context_(context),
      address_(std::move(address)),
      limits_(most),
      resolver_(context),
      socket_(context),
      connect_timer_(context) {}

void upstream::send(bytes frame, answer done) {
  if (state_ == state::failed) {
    if (done) asio::post(context_, [done = std::move(done)] { done(weir::fail("the upstream connection is lost")); });
    return;
  }
  unsent_bytes_ += frame.size();
  outgoing_.push_back(std::move(frame));
  if (done) waiting_.push_back(std::move(done));
  if (state_ == state::idle) return connect();
  if (state_ == state::open && writing_.empty()) write();
}

void upstream::close() noexcept {
  state_ = state::failed;
  waiting_.clear();
  outgoing_.clear();
  boost::system::error_code ignored;
  connect_timer_.cancel();
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
  incoming_.resize(length_.size() + size);
  std::copy(length_.begin(), length_.end(), incoming_.begin());
  asio::async_read(socket_, asio::buffer(incoming_.data() + length_.size(), size),
                   [self = shared_from_this()](boost::system::error_code failure, std::size_t) {
                     if (self->state_ != state::open) return;
                     if (failure) return self->fail("connection ended: " + failure.message());
                     self->take_answer();
                   });
}

void upstream::take_answer() {
  if (waiting_.empty()) return fail("an answer that nobody asked for");
  const answer done = std::move(waiting_.front());
  waiting_.pop_front();
  done(std::exchange(incoming_, {}));
  if (state_ == state::open) read_length();
}

void upstream::fail(const std::string& reason) {
  if (state_ == state::failed) return;
  const auto waiting = std::exchange(waiting_, {});
  close();
  for (const answer& done : waiting) done(weir::fail(address_.to_string() + ": " + reason));
}

}  // namespace weir::gateway
