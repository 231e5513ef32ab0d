// client_session: one client connection through the gateway. It has an upstream connection of its own, so that the
// client's identity, quotas and the order of its answers stay what they were. Everything runs on the I/O thread of the
// client's connection.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/coordinator.hpp"
#include "actors/pattern_turns.hpp"
#include "gateway/group_rights.hpp"
#include "gateway/offset_order.hpp"
#include "gateway/upstream.hpp"
#include "gateway/upstream_answer.hpp"
#include "gateway/upstream_cluster.hpp"
#include "protocol/codec.hpp"
#include "server/answering.hpp"
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
  actors::pattern_budget patterns = {};  ///< for the question about rights, which comes before the coordinator's own
};

class client_session : public std::enable_shared_from_this<client_session> {
 public:
  /// Called on the I/O thread with Kafka's error; `none` = go on.
  using permission = std::function<void(protocol::error_code)>;

  client_session(gateway_state& state, const std::shared_ptr<server::client_connection>& client)
      : state_(state), context_(client->context()), client_(client) {}

  /// Error: the client breaks the protocol.
  [[nodiscard]] result<void> on_request(server::request_in request);
  void on_close() noexcept;

  [[nodiscard]] gateway_state& state() noexcept { return state_; }

  /// Sends the request as it came and gives the client the answer, addresses replaced where there may be some.
  void relay(const server::request_in& request);
  /// Asks the upstream on the client's own connection and reads the answer; connects if need be. `done` gets the answer
  /// or why there is none, maybe before this returns, unless the client's connection ends first.
  template <class Response, class Request>
  void try_ask(const server::request_in& on_behalf_of, const Request& question, std::int16_t version,
               std::function<void(result<upstream_answer<Response>>)> done) {
    if (version < Request::min_version) return done(fail("the upstream does not offer " + std::string(Request::name)));
    send(protocol::encode_request_frame(on_behalf_of.header.correlation_id, on_behalf_of.header.client_id, question,
                                        version),
         on_behalf_of.connection, [version, done = std::move(done)](result<bytes> frame) {
           done(read_answer<Response>(std::move(frame), version));
         });
  }
  /// The same where no answer means that the client's connection has to end.
  template <class Response, class Request>
  void ask_for(const server::request_in& on_behalf_of, const Request& question, std::int16_t version,
               std::function<void(upstream_answer<Response>)> done) {
    try_ask<Response>(
        on_behalf_of, question, version,
        [client = on_behalf_of.connection, done = std::move(done)](result<upstream_answer<Response>> told) {
          told ? done(*std::move(told)) : client->close(told.error().message);
        });
  }
  /// The version to ask in: the upstream's highest, at most `most`; below 0 if it does not offer the API.
  template <class Request>
  [[nodiscard]] std::int16_t version_of(std::int16_t most = Request::max_version) const {
    return std::min(most, state_.cluster.max_version(Request::api_key));
  }
  /// Runs `work` on the session's thread if the session still lives then. Any thread.
  void post(std::function<void()> work);
  /// The same, later.
  void post_in(std::chrono::milliseconds pause, std::function<void()> work);

  /// What this connection's principal may do with groups, from the upstream. No answer: the error says why.
  using rights_answer = std::function<void(result<upstream_answer<protocol::describe_groups_response>>)>;
  void ask_rights(const server::request_in& on_behalf_of, std::vector<text> groups, rights_answer done);
  /// May this connection's principal do that with the group (spec 05, 8.8)? The upstream's last word serves for a
  /// while.
  void permit(const server::request_in& request, std::string_view group_id, operation wanted, permission then);
  /// The cheap half of permit(): true if the upstream's last word is yes. Asks again in the background when it is old.
  [[nodiscard]] bool permitted(const server::request_in& request, std::string_view group_id, operation wanted);

 private:
  template <class Work>
  void serve(Work work) noexcept;
  void send(bytes frame, const std::shared_ptr<server::client_connection>& client, upstream::answer done);
  [[nodiscard]] bool connect(const std::shared_ptr<server::client_connection>& client);
  void relay_topics(const server::request_in& request);
  void take_relayed(const server::request_in& request, result<bytes> answer);
  void without_answer(const server::request_in& request, const std::string& why);

  gateway_state& state_;
  boost::asio::io_context& context_;
  std::weak_ptr<server::client_connection> client_;
  std::shared_ptr<upstream> upstream_;
  group_rights rights_;
  bool authenticated_ = false;  // SASL passed through: the identity is bound to this upstream connection
  bool closed_ = false;
};

/// Answers the client in the slot of its request; closes its connection if that cannot be done.
template <class Response>
void answer(const server::request_in& request, const Response& response) {
  server::answering(request, [&] { server::write_answer(request, response); });
}

}  // namespace weir::gateway
