// gateway: streams groups in front of a cluster that lacks them. It brings the sessions for the Kafka listener and the
// metadata source for the coordinator; data, offsets and all other groups stay upstream.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "actors/coordinator.hpp"
#include "gateway/upstream_cluster.hpp"
#include "server/session.hpp"

namespace weir::gateway {

/// Order of use: make a cluster, start the coordinator with it as internal_topics, then start the gateway, then listen
/// with sessions().
class gateway {
 public:
  struct options {
    cluster_options cluster;
    broker_address advertised;  ///< what clients are told instead of the broker's address
  };

  /// The cluster must be the one the coordinator creates topics in; coordinator, cluster and clock outlive the gateway.
  gateway(options with, actors::coordinator& coordinator, upstream_cluster& cluster, clock& time);
  ~gateway();

  /// Starts polling the upstream; images go to the coordinator.
  void start();
  /// Waits up to limit_ms for the first image.
  void wait(std::int64_t limit_ms);
  void stop();

  [[nodiscard]] server::session_factory& sessions() noexcept;
  /// For /readyz: nothing while the upstream is known and answers.
  [[nodiscard]] std::optional<std::string> problem() const;

 private:
  class parts;
  std::unique_ptr<parts> parts_;
};

/// "host:port" of `upstream.bootstrap.servers`. Error: says what is wrong; several addresses: one broker is served.
[[nodiscard]] result<broker_address> parse_bootstrap(const std::string& servers);

}  // namespace weir::gateway
