// The rules of spec 01 that every answer to a heartbeat obeys (1.5, 2.3, 3, 5), written down once more and apart from
// the coordinator, so that both would have to be wrong in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "group/heartbeat/heartbeat.hpp"

namespace weir::simulation {

using request = protocol::streams_group_heartbeat_request;
using response = protocol::streams_group_heartbeat_response;

/// What the rules need to know of the group as it was.
struct before_heartbeat {
  group::group_kind kind = group::group_kind::none;
  group::group_metadata metadata;
  std::int32_t assignment_epoch = 0;
  std::int32_t endpoint_epoch = 0;
  bool is_full = false;
  std::optional<group::current_assignment> requester;
  bool named_active = false;  ///< the requester, in its last report
  std::optional<std::string> instance_holder;  ///< member id that has the request's instance id
  std::int32_t instance_epoch = 0;             ///< its epoch
};

[[nodiscard]] before_heartbeat observe(const group::streams_group& group, const request& r, const group::world& world);

/// One answer with everything around it. `after`: the group with the outcome applied.
struct answered_heartbeat {
  const before_heartbeat& before;
  const request& asked;
  std::int16_t version;
  const group::heartbeat_outcome& outcome;
  const group::streams_group& after;
  const group::world& world;
};
/// Throws a violation of "answer rules".
void check_answer(const answered_heartbeat& a);

}  // namespace weir::simulation
