#include "gateway/rewrite/addresses.hpp"

#include <string>
#include <utility>

#include "protocol/codec.hpp"
#include "protocol/headers.hpp"
#include "protocol/messages/describe_cluster_response.hpp"
#include "protocol/messages/fetch_response.hpp"
#include "protocol/messages/find_coordinator_response.hpp"
#include "protocol/messages/metadata_response.hpp"
#include "protocol/messages/produce_response.hpp"

namespace weir::gateway {
namespace {

using protocol::api;

constexpr std::int16_t produce_endpoints_from = 10;
constexpr std::int16_t fetch_endpoints_from = 16;
constexpr std::int8_t endpoint_type_controllers = 2;

/// Decodes, lets `change` work on the message, encodes.
template <class Message, class Change>
result<bytes> changed(const bytes& frame, std::int16_t version, Change change) {
  const byte_view content = byte_view(frame).subspan(sizeof(std::int32_t));
  const auto opened = protocol::open_response(content, static_cast<api>(Message::api_key), version);
  if (!opened) return tl::unexpected(opened.error());
  auto message = protocol::decode<Message>(opened->body, version);
  if (!message) return tl::unexpected(message.error());
  if (auto done = change(*message); !done) return tl::unexpected(done.error());
  return protocol::encode_response_frame(opened->header.correlation_id, *message, version);
}

template <class Broker>
void move_to(Broker& broker, const broker_address& advertised) {
  broker.host = text::view(advertised.host);
  broker.port = advertised.port;
}

/// Two node ids under one address would make clients hang, so a second broker is refused rather than mapped.
template <class Brokers>
result<void> move_all(Brokers& brokers, const broker_address& advertised) {
  if (brokers.size() > 1) {
    return fail("the upstream cluster has " + std::to_string(brokers.size()) +
                " brokers; the gateway has a listener for one");
  }
  for (auto& broker : brokers) move_to(broker, advertised);
  return {};
}

}  // namespace

result<bytes> rewrite_addresses(bytes frame, std::int16_t key, std::int16_t version, const broker_address& advertised) {
  const auto brokers = [&](auto& message) { return move_all(message.brokers, advertised); };
  const auto endpoints = [&](auto& message) { return move_all(message.node_endpoints, advertised); };
  switch (static_cast<api>(key)) {
    case api::metadata: return changed<protocol::metadata_response>(frame, version, brokers);
    case api::describe_cluster:
      return changed<protocol::describe_cluster_response>(frame, version, [&](auto& message) {
        return message.endpoint_type == endpoint_type_controllers ? result<void>{} : brokers(message);
      });
    case api::find_coordinator:
      return changed<protocol::find_coordinator_response>(frame, version, [&](auto& message) -> result<void> {
        if (message.error_code == 0 && version < 4) move_to(message, advertised);
        for (auto& coordinator : message.coordinators) {
          if (coordinator.error_code == 0) move_to(coordinator, advertised);
        }
        return {};
      });
    case api::produce:
      if (version < produce_endpoints_from) return frame;
      return changed<protocol::produce_response>(frame, version, endpoints);
    case api::fetch:
      if (version < fetch_endpoints_from) return frame;
      return changed<protocol::fetch_response>(frame, version, endpoints);
    default: return frame;
  }
}

}  // namespace weir::gateway
