// The sessions of embedded mode: one node that is the whole cluster, coordinates every group, and keeps its topics in
// the catalogue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/coordinator.hpp"
#include "base/clock.hpp"
#include "server/catalogue.hpp"
#include "server/session.hpp"
#include "server/transactions.hpp"

namespace weir::server {

/// What clients are told to connect to.
struct advertised_address {
  std::string host;
  std::uint16_t port = 0;  ///< 0: the port the listener is bound to
};

struct embedded_options {
  std::int32_t node_id = 1;  ///< not negative
  /// One for each listener, at least one; the last is that of all further ones.
  std::vector<advertised_address> advertised;
  std::optional<std::string> rack;  ///< `broker.rack`
};

/// What the sessions stand on.
struct embedded_parts {
  actors::coordinator& coordinator;
  catalogue& topics;
  transactions& producers;
};

/// Everything given must outlive the factory, and the factory the server.
[[nodiscard]] std::unique_ptr<session_factory> make_embedded_sessions(embedded_parts parts, const clock& time,
                                                                      embedded_options options);

}  // namespace weir::server
