#include "cli/kafka_client.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>

#include "base/limits.hpp"

namespace weir::cli {

/// Asio's stream is the one blocking socket with a time limit.
class kafka_client::connection {
 public:
  connection(std::string host, std::uint16_t port, std::int64_t timeout_ms)
      : name_(fmt::format("{}:{}", host, port)), timeout_ms_(timeout_ms) {
    limit_time();
    stream_.connect(host, std::to_string(port));
  }

  [[nodiscard]] bool good() const { return static_cast<bool>(stream_); }
  [[nodiscard]] tl::unexpected<error> failed() const {
    const auto why = stream_.error();
    return fail(fmt::format("{}: {}", name_, why ? why.message() : "the connection was closed"));
  }

  result<bytes> exchange(const bytes& frame) {
    limit_time();
    stream_.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size())).flush();
    std::array<unsigned char, 4> length{};
    if (!stream_.read(reinterpret_cast<char*>(length.data()), length.size())) return failed();
    std::size_t size = 0;
    for (const unsigned char byte : length) size = size << 8U | byte;
    if (size > limits::frame_bytes_max) return fail(fmt::format("{}: an answer of {} bytes", name_, size));
    bytes answer(size);
    if (!stream_.read(reinterpret_cast<char*>(answer.data()), static_cast<std::streamsize>(size))) return failed();
    return answer;
  }

 private:
  void limit_time() { stream_.expires_after(std::chrono::milliseconds(timeout_ms_)); }

  std::string name_;
  std::int64_t timeout_ms_;
  boost::asio::ip::tcp::iostream stream_;
};

result<kafka_client> kafka_client::connect(std::string host, std::uint16_t port, std::string client_id,
                                           std::int64_t timeout_ms) {
  auto open = std::make_unique<connection>(std::move(host), port, timeout_ms);
  if (!open->good()) return open->failed();
  return kafka_client(std::move(open), std::move(client_id));
}

kafka_client::kafka_client(std::unique_ptr<connection> open, std::string client_id)
    : connection_(std::move(open)), client_id_(std::move(client_id)) {}
kafka_client::kafka_client(kafka_client&&) noexcept = default;
kafka_client& kafka_client::operator=(kafka_client&&) noexcept = default;
kafka_client::~kafka_client() = default;

result<bytes> kafka_client::exchange(const bytes& frame) { return connection_->exchange(frame); }

}  // namespace weir::cli
