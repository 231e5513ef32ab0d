// heartbeat_front: the way of a decoded StreamsGroupHeartbeat from a connection to the coordinator. The same for the
// embedded node and the gateway.
#pragma once

#include "actors/coordinator.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "server/handler.hpp"

namespace weir::server {

/// Answers what no group has to be asked for (F3, F4 and V1 to V15 of spec 01, 1.4 and 1.5, and ids longer than the log
/// keeps); hands everything else to the coordinator.
void pass_heartbeat(actors::coordinator& coordinator, protocol::streams_group_heartbeat_request request, call c);

}  // namespace weir::server
