// ConsumerGroupHeartbeat and ConsumerGroupDescribe (KIP-848): what they decide about a consumer group
// (docs/decisions/017). A group's record holds its epoch; its members are soft state.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "group/outcome.hpp"
#include "group/streams_group.hpp"
#include "protocol/messages/consumer_group_describe_response.hpp"
#include "protocol/messages/consumer_group_heartbeat_request.hpp"
#include "protocol/messages/consumer_group_heartbeat_response.hpp"

namespace weir::group {

/// Kafka's `group.consumer.*`, times in milliseconds.
struct consumer_options {
  std::int32_t heartbeat_interval_ms = 5'000;
  std::int32_t session_timeout_ms = 45'000;
  std::int32_t assignment_interval_ms = 1'000;  ///< least time between two assignments
  std::int32_t max_size = std::numeric_limits<std::int32_t>::max();
};

/// Who asks, besides the request's fields.
struct consumer_caller {
  std::int16_t version = 1;  ///< of the request
  std::string client_id;
  std::string client_host;    ///< `/127.0.0.1`
  std::string new_member_id;  ///< for a client of version 0 that has none; nobody else's
};

/// The world as a decision sees it; nothing in it changes during the call.
struct consumer_world {
  const metadata::image& image;
  metadata::hash_cache& hashes;
  const consumer_options& options;
  std::int64_t now_ms;
  bool patterns_are_pending = false;  ///< some are being tried on the topics of the image: what was known is used
  std::shared_ptr<const matched_topics> tried = {};  ///< what patterns match in the image; of others nothing is known
};

/// What a request or a deadline leads to.
struct consumer_outcome {
  group::records records;
  soft_update soft;  ///< applied after the records
};
struct consumer_heartbeat_outcome : consumer_outcome {
  protocol::consumer_group_heartbeat_response answer;
};

/// The answer owns its texts. With an error in it nothing changes.
[[nodiscard]] consumer_heartbeat_outcome heartbeat_consumer(const streams_group& group,
                                                            const protocol::consumer_group_heartbeat_request& request,
                                                            const consumer_caller& caller,
                                                            const consumer_world& world);

/// An answer that only says why not.
[[nodiscard]] protocol::consumer_group_heartbeat_response refuse_consumer(protocol::error_code code,
                                                                          std::string_view message);

/// Members whose session is over, or who have not given up in time what they were to: they are out.
[[nodiscard]] consumer_outcome expire_consumers(const streams_group& group, const consumer_world& world);

/// Of a consumer group; names of topics come from the image, those it does not have are left out. Else error 69.
[[nodiscard]] protocol::consumer_group_describe_response::described_group_data describe_consumers(
    const streams_group& group, const metadata::image& image);

/// Empty, Assigning, Reconciling or Stable. O(members) only while assignment and group epoch agree.
[[nodiscard]] group_state consumer_state_of(const streams_group& group);

}  // namespace weir::group
