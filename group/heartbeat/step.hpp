// What all steps of a heartbeat share: the call they work on, and how a step says no.
#pragma once

#include <string>
#include <utility>

#include "group/heartbeat/heartbeat.hpp"
#include "group/refusal.hpp"

namespace weir::group {

using heartbeat_request = protocol::streams_group_heartbeat_request;
using heartbeat_response = protocol::streams_group_heartbeat_response;

/// One heartbeat on its way through the steps. Nothing in it changes.
struct call {
  const streams_group& group;
  const heartbeat_request& request;
  const request_context& context;
  const weir::group::world& world;

  [[nodiscard]] bool is_join() const noexcept { return request.member_epoch == 0; }
  /// The heartbeat that makes the id a streams group (spec 01, 2.1).
  [[nodiscard]] bool creates_group() const noexcept { return group.kind != group_kind::streams; }
  /// ... where nothing was, not even an empty classic group or offsets.
  [[nodiscard]] bool starts_from_nothing() const noexcept { return group.kind == group_kind::none; }
  /// In strict mode the heartbeat that creates the group keeps its timers only, as in Kafka (X3).
  [[nodiscard]] bool keeps_soft_state() const noexcept { return !world.strict_kafka || !creates_group(); }
};

/// What a step found out, or the answer the client gets instead.
template <class T>
using checked = protocol::kafka_result<T>;
using protocol::refuse;

/// Malformed but decodable data: Kafka fails with UNKNOWN_SERVER_ERROR, we say what is wrong (spec 01, X8).
[[nodiscard]] inline tl::unexpected<refusal> refuse_malformed(const call& c, protocol::error_code code,
                                                              std::string message) {
  return refuse(c.world.strict_kafka ? protocol::error_code::unknown_server_error : code, std::move(message));
}

}  // namespace weir::group
