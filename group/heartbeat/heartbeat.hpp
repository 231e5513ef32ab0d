// StreamsGroupHeartbeat (spec 01): the pipeline S1 to S13, and the wake-up that expires members.
#pragma once

#include "group/outcome.hpp"
#include "group/streams_group.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"

namespace weir::group {

/// Who asks, besides the request's fields.
struct request_context {
  std::int16_t version = 1;  ///< of the request, 0 or 1
  text client_id;            ///< from the request header
  text client_host;          ///< Java text of the peer address, `/127.0.0.1`
};

/// Checks that need no group: F3, F4 (spec 01, 1.4) and V1 to V15 (1.5), in order. Nothing if the request passes.
/// Patterns of source topics are refused if `strict_kafka`, else judged where V1 stands (11.4).
[[nodiscard]] std::optional<refusal> check_request(const protocol::streams_group_heartbeat_request& request,
                                                   bool strict_kafka);

/// One heartbeat of any kind: join, ordinary, leave. `group.kind` may be none: a join creates it. The request must have
/// passed check_request().
[[nodiscard]] heartbeat_outcome heartbeat(const streams_group& group,
                                          const protocol::streams_group_heartbeat_request& request,
                                          const request_context& context, const world& world);

/// The refused answer of spec 01, 1.6.
[[nodiscard]] protocol::streams_group_heartbeat_response refused(protocol::error_code code, std::string_view why);

/// At a wake-up: removes ONE member whose session or rebalance time-out passed, or fires the initial delay (spec 01,
/// section 9 and 7.2). Nothing due: an empty outcome, without soft changes too. Call again until it is empty.
[[nodiscard]] change_outcome on_deadline(const streams_group& group, const world& world);

}  // namespace weir::group
