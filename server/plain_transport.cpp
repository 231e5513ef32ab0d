#include "server/plain_transport.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <utility>

namespace weir::server {
namespace {

namespace asio = boost::asio;
using socket_error = boost::system::error_code;

/// A run of buffers on the stack, as Asio wants to see it.
struct buffer_run {
  static constexpr std::size_t parts_max = 64;  // what one system call takes
  std::array<asio::const_buffer, parts_max> buffers;
  std::size_t count = 0;

  [[nodiscard]] const asio::const_buffer* begin() const noexcept { return buffers.data(); }
  [[nodiscard]] const asio::const_buffer* end() const noexcept { return buffers.data() + count; }
};

io_count count_of(const socket_error& error, std::size_t bytes) {
  if (!error) return {io_count::state::moved, bytes};
  if (error == asio::error::would_block || error == asio::error::try_again || error == asio::error::interrupted) {
    return {io_count::state::blocked, 0};
  }
  return {error == asio::error::eof ? io_count::state::ended : io_count::state::failed, 0};
}

class plain_transport final : public transport {
 public:
  explicit plain_transport(plain_socket socket) : socket_(std::move(socket)) {
    socket_error ignored;  // a peer that is gone already is noticed by the first read
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  }
  plain_transport(const plain_transport&) = delete;
  plain_transport& operator=(const plain_transport&) = delete;
  ~plain_transport() override {
    socket_error ignored;
    socket_.shutdown(plain_socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  io_count read_some(std::span<std::uint8_t> into) override {
    socket_error error;
    const auto bytes = socket_.read_some(asio::buffer(into.data(), into.size()), error);
    return count_of(error, bytes);
  }

  io_count write_some(std::span<const byte_view> parts) override {
    buffer_run run;
    run.count = std::min(parts.size(), buffer_run::parts_max);
    for (std::size_t i = 0; i < run.count; ++i) run.buffers[i] = asio::const_buffer(parts[i].data(), parts[i].size());
    socket_error error;
    const auto bytes = socket_.write_some(run, error);
    return count_of(error, bytes);
  }

  [[nodiscard]] peer_state peer() const override {
    // native_handle() is not const, but changes nothing.
    pollfd asked{const_cast<plain_socket&>(socket_).native_handle(), POLLRDHUP, 0};
    if (::poll(&asked, 1, 0) <= 0) return peer_state::open;
    return (asked.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0 ? peer_state::gone : peer_state::ended;
  }

  void wait_readable(std::shared_ptr<transport_owner> owner) override {
    socket_.async_wait(plain_socket::wait_read, [owner = std::move(owner)](const socket_error& error) {
      owner->on_readable(static_cast<bool>(error));
    });
  }

  void wait_writable(std::shared_ptr<transport_owner> owner) override {
    socket_.async_wait(plain_socket::wait_write, [owner = std::move(owner)](const socket_error& error) {
      owner->on_writable(static_cast<bool>(error));
    });
  }

 private:
  plain_socket socket_;
};

}  // namespace

std::unique_ptr<transport> make_plain_transport(plain_socket socket) {
  return std::make_unique<plain_transport>(std::move(socket));
}

}  // namespace weir::server
