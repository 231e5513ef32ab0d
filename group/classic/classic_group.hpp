// JoinGroup, SyncGroup, Heartbeat and LeaveGroup (spec 05, 4.7 and spec 04, 12): what they decide about a classic
// group, and the errors they get from a streams group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "group/outcome.hpp"
#include "group/streams_group.hpp"
#include "protocol/messages/describe_groups_response.hpp"
#include "protocol/messages/heartbeat_request.hpp"
#include "protocol/messages/join_group_request.hpp"
#include "protocol/messages/join_group_response.hpp"
#include "protocol/messages/leave_group_request.hpp"
#include "protocol/messages/leave_group_response.hpp"
#include "protocol/messages/sync_group_request.hpp"
#include "protocol/messages/sync_group_response.hpp"

namespace weir::group {

/// Who joins, besides the request's fields.
struct classic_context {
  std::int16_t version = 9;  ///< of the request
  std::string client_id;
  std::string client_host;      ///< `/127.0.0.1`
  std::string new_member_id;    ///< for a client that has none yet; nobody else's
  std::size_t members_max = 0;  ///< a newcomer to a group of this size is refused
  std::int64_t now_ms = 0;
  bool strict_kafka = false;    ///< reproduce Kafka where Weir improves on it
};

/// NONE if that is a member; FENCED_INSTANCE_ID if another one holds its instance id, else UNKNOWN_MEMBER_ID.
[[nodiscard]] protocol::error_code identify_classic(const classic_members& group, std::string_view member_id,
                                                    const std::optional<std::string_view>& instance_id);

/// What a request or a deadline leads to. Answers to requests that wait go by member id.
struct classic_outcome {
  group::records records;
  soft_update soft;  ///< applied after the records
  std::vector<std::pair<std::string, protocol::join_group_response>> joined;
  std::vector<std::pair<std::string, protocol::sync_group_response>> synced;
};

/// The answer, or under which member id the request waits for one (it may be among the outcome's).
struct join_outcome : classic_outcome {
  std::optional<protocol::join_group_response> answer;
  std::string waits_as;
};
[[nodiscard]] join_outcome join_classic(const streams_group& group, const protocol::join_group_request& request,
                                        const classic_context& context);

struct sync_outcome : classic_outcome {
  std::optional<protocol::sync_group_response> answer;
  std::string waits_as;
};
[[nodiscard]] sync_outcome sync_classic(const streams_group& group, const protocol::sync_group_request& request,
                                        std::int64_t now_ms);

struct beat_outcome : classic_outcome {
  protocol::error_code answer = protocol::error_code::none;
};
[[nodiscard]] beat_outcome beat_classic(const streams_group& group, const protocol::heartbeat_request& request,
                                        std::int64_t now_ms);

/// Version 0 to 2 ask for one member, whose error is then the answer's.
struct leave_outcome : classic_outcome {
  protocol::leave_group_response answer;
};
[[nodiscard]] leave_outcome leave_classic(const streams_group& group, const protocol::leave_group_request& request,
                                          std::int16_t version, std::int64_t now_ms);

/// Members whose session is over; the end of a rebalance that somebody did not join: such a member is out, unless it is
/// static (KIP-345); and members that have sent no SyncGroup within the rebalance timeout after the generation began,
/// static or not: they are out, and the others rebalance. Nothing due: an empty outcome.
[[nodiscard]] classic_outcome expire_classic(const streams_group& group, std::int64_t now_ms);

/// DescribeGroups version 6: error 69 and a message unless it is a classic group.
[[nodiscard]] protocol::describe_groups_response::described_group_data describe_classic(const streams_group& group);

}  // namespace weir::group
