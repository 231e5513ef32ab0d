// embedded_node: what the handlers of embedded mode share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "actors/coordinator.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "protocol/api_versions.hpp"
#include "server/catalogue.hpp"
#include "server/embedded.hpp"
#include "server/handler.hpp"

namespace weir::server {

struct embedded_node {
  actors::coordinator& coordinator;
  catalogue& topics;
  transactions& producers;
  const clock& time;
  embedded_options options;
  protocol::api_offer offer;
  system_random random;  ///< for member ids

  /// Where the client of this call shall connect to.
  [[nodiscard]] std::string_view host(const call& c) const { return advertised(c).host; }
  [[nodiscard]] std::int32_t port(const call& c) const {
    const auto port = advertised(c).port;
    return port == 0 ? c.in.connection->info().local_port : port;
  }

 private:
  [[nodiscard]] const advertised_address& advertised(const call& c) const {
    return options.advertised.at(std::min(c.in.connection->info().listener, options.advertised.size() - 1));
  }
};

/// Bit n = operation code n of Kafka's access control. Nobody is restricted here, so the answer is always everything.
namespace operations {
inline constexpr std::int32_t not_asked = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t all_of_topic = 3576;
inline constexpr std::int32_t all_of_group = 3400;
inline constexpr std::int32_t all_of_cluster = 8096;
}  // namespace operations

}  // namespace weir::server
