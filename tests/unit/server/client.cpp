#include "tests/unit/server/client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::server::testing {
namespace {

constexpr int patience_ms = 10'000;

}  // namespace

client::client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) close();
}

client::~client() { close(); }

void client::end() const { EXPECT_EQ(::shutdown(socket_, SHUT_WR), 0); }

void client::reset() {
  const linger at_once{1, 0};
  EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  close();
}

void client::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void client::send(const bytes& data) const { EXPECT_TRUE(try_send(data)); }

bool client::try_send(const bytes& data) const {
  std::size_t sent = 0;
  while (sent < data.size()) {
    const auto count = ::send(socket_, data.data() + sent, data.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool client::readable(int ms) const {
  const timeval limit{.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char first = 0;
  const auto count = ::recv(socket_, &first, 1, MSG_PEEK);
  return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

bool client::fill() {
  if (!readable(patience_ms)) {
    ADD_FAILURE() << "the server neither answers nor closes";
    return false;
  }
  std::uint8_t chunk[65536];
  const auto count = ::recv(socket_, chunk, sizeof chunk, 0);
  if (count <= 0) return false;
  buffer_.insert(buffer_.end(), chunk, chunk + count);
  return true;
}

std::optional<bytes> client::read_frame() {
  while (true) {
    if (buffer_.size() >= 4) {
      const auto size = static_cast<std::size_t>(protocol::wire::reader(buffer_).int32());
      if (buffer_.size() >= 4 + size) {
        const auto end = buffer_.begin() + 4 + static_cast<std::ptrdiff_t>(size);
        bytes frame(buffer_.begin() + 4, end);
        buffer_.erase(buffer_.begin(), end);
        return frame;
      }
    }
    if (!fill()) return std::nullopt;
  }
}

bool client::closed() { return buffer_.empty() && !fill(); }

bytes plain_request(std::int32_t correlation_id, std::string_view payload) {
  bytes out;
  protocol::wire::writer writer(out);
  writer.int32(static_cast<std::int32_t>(10 + payload.size()));
  writer.int16(18);
  writer.int16(0);
  writer.int32(correlation_id);
  writer.int16(-1);
  writer.raw(payload);
  return out;
}

bytes plain_answer(std::int32_t correlation_id, std::string_view payload) {
  bytes out;
  protocol::wire::writer writer(out);
  writer.int32(static_cast<std::int32_t>(4 + payload.size()));
  writer.int32(correlation_id);
  writer.raw(payload);
  return out;
}

std::int32_t id_of(const std::optional<bytes>& frame) {
  return frame && frame->size() >= 4 ? protocol::wire::reader(*frame).int32() : -1;
}

bytes operator+(bytes a, const bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace weir::server::testing
