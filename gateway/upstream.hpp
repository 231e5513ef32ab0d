// upstream: one connection to a broker of the upstream cluster. Requests go out in the order they are given, answers
// come back in that order (Kafka's rule), so an answer finds its request by its place in the queue. An upstream that
// breaks the rule shows by its correlation ids, and the connection ends before anybody gets another's answer.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::gateway {

/// Where a broker listens.
struct broker_address {
  std::string host;
  std::uint16_t port = 0;

  [[nodiscard]] std::string to_string() const { return host + ":" + std::to_string(port); }
  /// What happened to a broker there, for people: `upstream host:port: reason`.
  [[nodiscard]] std::string named(const std::string& reason) const { return "upstream " + to_string() + ": " + reason; }
  bool operator==(const broker_address&) const = default;
};

/// Lives on one io_context and is used from its thread alone. Connects with the first request. After the first failure
/// it is of no use any more: make another one.
class upstream : public std::enable_shared_from_this<upstream> {
 public:
  /// The whole answer frame, its 4-byte length included, or why there is none.
  using answer = std::function<void(result<bytes>)>;

  struct limits {
    std::size_t frame_bytes_max;
    std::int64_t connect_ms = 5'000;
    /// For requests of the gateway's own, once all earlier ones are answered and while answers are read.
    std::int64_t answer_ms = 30'000;
  };

  /// How long an answer may take.
  enum class patience : std::uint8_t {
    client,   ///< as long as the client waits: it may be a long poll
    bounded,  ///< limits::answer_ms
  };

  upstream(boost::asio::io_context& context, broker_address address, limits most);

  /// Sends a whole request frame (length included). `done` is called once unless close() comes first.
  void send(bytes frame, patience wait, answer done);
  /// Sends a request that gets no answer (a Produce with acks 0). `lost` is called if the connection ends before a
  /// later request is answered: closing it is how a broker says that such a request failed (spec 05, 1.2).
  void send_unanswered(bytes frame, answer lost);
  /// Asked before each further answer is read: false leaves it with the broker for now, so that answers pile up there
  /// and not here.
  void read_while(std::function<bool()> room) { room_ = std::move(room); }
  /// Ends the connection; what waits for an answer is dropped without a call.
  void close() noexcept;

  [[nodiscard]] bool usable() const noexcept { return state_ != state::failed; }
  /// Bytes that the broker has not taken yet.
  [[nodiscard]] std::size_t unsent_bytes() const noexcept { return unsent_bytes_; }

 private:
  enum class state { idle, connecting, open, failed };

  struct expected {
    std::int32_t correlation_id;
    patience wait;
    bool answered;  ///< false: no answer comes, done is for the loss of the connection
    answer done;
  };

  void enqueue(bytes frame, expected entry);
  void connect();
  void write();
  void read_next();
  void read_length();
  void read_body(std::size_t size);
  void read_rest(std::size_t size);
  void take_answer();
  template <class Work>
  void serve(Work work) noexcept;
  void watch_front();
  void fail(const std::string& reason);

  boost::asio::io_context& context_;
  broker_address address_;
  limits limits_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer connect_timer_;
  boost::asio::steady_timer answer_timer_;
  boost::asio::steady_timer room_timer_;
  std::function<bool()> room_;
  state state_ = state::idle;
  std::deque<bytes> outgoing_;
  std::deque<bytes> writing_;
  std::deque<expected> waiting_;
  std::uint64_t watched_ = 0;  // counts the answers that were next
  std::array<std::uint8_t, 4> length_{};
  bytes incoming_;
  std::size_t unsent_bytes_ = 0;
};

}  // namespace weir::gateway
