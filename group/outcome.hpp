// What decisions return: an answer, the records that must become durable first, soft changes and explanations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "group/event.hpp"
#include "group/record.hpp"
#include "group/soft_state.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"

namespace weir::group {

/// Of a heartbeat. With an error in the answer there are no records and nothing soft changes, except what spec 01
/// section 9 says survives.
struct heartbeat_outcome {
  protocol::streams_group_heartbeat_response answer;
  group::records records;
  soft_update soft;
  std::vector<event> events;
  /// Set when status 3 is present: its topics_to_create are for the front end (spec 01, 5.5).
  std::shared_ptr<const configured_topology> missing_internal_topics;
};

/// Of a wake-up or an administrator's request: the same without a Kafka answer.
struct change_outcome {
  group::records records;
  std::vector<soft_update> soft;
  std::vector<event> events;
};

}  // namespace weir::group
