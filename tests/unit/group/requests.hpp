// Requests as the conventions of spec 01, section 12 have them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "group/topology/topology.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"

namespace weir::group {

/// Fields of a request that differ from the spec's conventions.
struct with {
  std::optional<std::string> instance{};
  std::optional<std::string> rack{};
  std::optional<std::string> process{};            ///< joins: "p-" and the member id
  std::optional<std::string> endpoint{};           ///< "host:port"
  std::optional<std::string> own{};                ///< tasks owned as active, "0:0-3;1:2"; sends all three lists
  std::optional<std::string> own_standby{};
  std::optional<std::string> own_warmup{};
  std::optional<std::map<std::string, std::string>> tags{};
  std::optional<std::string> offsets{};            ///< "0_1=10;0_2=7"
  std::optional<std::string> end_offsets{};
  std::optional<int> endpoint_epoch{};             ///< joins: -1; heartbeats: the last one received
  std::optional<int> rebalance_timeout_ms{};       ///< joins: 30000
  std::optional<topology> app{};                   ///< joins: the scenario's
  std::string client_id = "client";
  bool shutdown = false;
  int version = 1;
};

/// The request of a member at an epoch. `app` goes with joins; `known_endpoint_epoch` is the last one received.
protocol::streams_group_heartbeat_request make_request(const std::string& member, int epoch, const with& fields,
                                                       const topology& app, int known_endpoint_epoch);

/// One subtopology "0" that reads the topics, with a changelog if named.
topology reading(const std::vector<std::string>& sources, const std::string& changelog = {});

}  // namespace weir::group
