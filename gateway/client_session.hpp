// client_session: one client connection through the gateway. It has an upstream connection of its own, so that the
// client's identity, quotas and the order of its answers stay what they were. Everything runs on the I/O thread of the
// client's connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "actors/coordinator.hpp"
#include "gateway/offset_order.hpp"
#include "gateway/upstream.hpp"
#include "gateway/upstream_cluster.hpp"
#include "protocol/codec.hpp"
#include "server/session.hpp"

namespace weir::gateway {

/// What all sessions share; outlives them.
struct gateway_state {
  actors::coordinator& coordinator;
  upstream_cluster& cluster;
  clock& time;
  broker_address upstream_address;
  broker_address advertised;
  std::size_t frame_bytes_max;
  offset_order order;
  std::atomic<bool> published{false};  ///< the coordinator has the upstream's first image
};

class client_session : public std::enable_shared_from_this<client_session> {
 public:
  /// Called on the I/O thread with Kafka's error; `none` = go on.
  using permission = std::function<void(protocol::error_code)>;

  client_session(gateway_state& state, boost::asio::io_context& context) : state_(state), context_(context) {}

  /// Error: the client breaks the protocol.
  [[nodiscard]] result<void> on_request(server::request_in request);
  void on_close() noexcept;

  [[nodiscard]] gateway_state& state() noexcept { return state_; }

  /// Sends the request as it came and gives the client the answer, addresses replaced where there may be some.
  void relay(const server::request_in& request);
  /// Sends a request of the gateway's own on the client's upstream connection. Connects if need be.
  template <class Request>
  void ask(const server::request_in& on_behalf_of, const Request& request, std::int16_t version,
           upstream::answer done) {
    send(protocol::encode_request_frame(on_behalf_of.header.correlation_id, on_behalf_of.header.client_id, request,
                                        version),
         on_behalf_of.connection, std::move(done));
  }
  /// Runs `work` on the session's thread if the session still lives then. Any thread.
  void post(std::function<void()> work);

  /// May this connection's principal READ the group, and, for a join, is the id free of a live classic group (spec 05,
  /// 8.7, 8.8)? Asked of the upstream once per connection and group, and again for a join that would create a group.
  void permit(const server::request_in& request, std::string_view group_id, bool joining, permission then);
  /// The cheap half of permit(): true if the answer is known to be yes.
  [[nodiscard]] bool permitted(std::string_view group_id) const { return permitted_.contains(group_id); }

 private:
  void send(bytes frame, const std::shared_ptr<server::client_connection>& client, upstream::answer done);
  void relay_topics(const server::request_in& request);
  void take_relayed(const server::request_in& request, result<bytes> answer);

  static constexpr std::size_t permitted_max = 1'000;

  gateway_state& state_;
  boost::asio::io_context& context_;
  std::shared_ptr<upstream> upstream_;
  std::set<std::string, std::less<>> permitted_;
  bool authenticated_ = false;  // SASL passed through: the identity is bound to this upstream connection
  bool closed_ = false;
};

/// Answers the client in the slot of its request.
template <class Response>
void answer(const server::request_in& request, const Response& response) {
  request.connection->answer(request.slot, protocol::encode_response_frame(request.header.correlation_id, response,
                                                                           request.header.request_api_version));
}

/// Opens and decodes an answer of the upstream; its texts look into `frame`.
template <class Response>
result<Response> open_answer(const bytes& frame, std::int16_t version) {
  const auto opened = protocol::open_response(byte_view(frame).subspan(sizeof(std::int32_t)),
                                              static_cast<protocol::api>(Response::api_key), version);
  if (!opened) return tl::unexpected(opened.error());
  return protocol::decode<Response>(opened->body, version);
}

}  // namespace weir::gateway
