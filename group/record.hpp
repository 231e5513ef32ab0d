// The records of one group (spec 04 section 2): the only way group state changes. A record without value is a
// tombstone. storage/record_codec turns them into Kafka's key and value bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/uuid.hpp"
#include "group/tasks.hpp"
#include "group/topology/topology.hpp"

namespace weir::group {

/// Type 17 (spec 04, 2.2). Defaults are those of a group whose record has not been seen (spec 04 section 4).
struct group_metadata {
  std::int32_t epoch = 1;
  std::int64_t metadata_hash = 0;
  std::int32_t validated_topology_epoch = -1;
  std::map<std::string, std::string> assignment_configs;  ///< effective values at the last bump
  std::int32_t stored_description_epoch = -1;
  std::int32_t failed_description_epoch = -1;

  bool operator==(const group_metadata&) const = default;
};

/// Host and port under which a member answers interactive queries.
struct endpoint {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const endpoint&) const = default;
};

/// Type 19 (spec 04, 2.3).
struct member_metadata {
  std::optional<std::string> instance_id;
  std::optional<std::string> rack_id;
  std::string client_id;
  std::string client_host;  ///< Java text of the address, e.g. `/127.0.0.1`
  std::int32_t rebalance_timeout_ms = -1;
  std::int32_t topology_epoch = -1;
  std::string process_id;
  std::optional<endpoint> user_endpoint;
  std::map<std::string, std::string> client_tags;

  bool operator==(const member_metadata&) const = default;
};

/// Type 20 (spec 04, 2.4).
struct target_metadata {
  std::int32_t assignment_epoch = 1;
  std::int64_t assignment_timestamp_ms = 0;  ///< when the computation finished; 0 = never

  bool operator==(const target_metadata&) const = default;
};

/// Spec 01, 6.2. Values are those of the record.
enum class member_state : std::int8_t { stable = 1, unrevoked_tasks = 2, unreleased_tasks = 3, unknown = 127 };

/// Type 22 (spec 04, 2.6).
struct current_assignment {
  std::int32_t member_epoch = 0;
  std::int32_t previous_member_epoch = 0;
  member_state state = member_state::stable;
  assigned_tasks assigned;
  assigned_tasks pending_revocation;

  /// A static member that has left for a while (spec 01, 2.5).
  [[nodiscard]] bool is_away() const noexcept { return member_epoch == -2; }
  bool operator==(const current_assignment&) const = default;
};

/// Type 1 (spec 04, 2.8).
struct committed_offset {
  std::int64_t offset = -1;
  std::int32_t leader_epoch = -1;
  std::string metadata;
  std::int64_t commit_timestamp_ms = 0;
  std::int64_t expire_timestamp_ms = -1;  ///< -1 = by retention
  uuid topic_id;

  bool operator==(const committed_offset&) const = default;
};

struct group_metadata_record {  // type 17
  std::optional<group_metadata> value;
  bool operator==(const group_metadata_record&) const = default;
};
struct member_metadata_record {  // type 19
  std::string member_id;
  std::optional<member_metadata> value;
  bool operator==(const member_metadata_record&) const = default;
};
struct target_metadata_record {  // type 20
  std::optional<target_metadata> value;
  bool operator==(const target_metadata_record&) const = default;
};
struct target_member_record {  // type 21
  std::string member_id;
  std::optional<role_tasks> value;
  bool operator==(const target_member_record&) const = default;
};
struct current_assignment_record {  // type 22
  std::string member_id;
  std::optional<current_assignment> value;
  bool operator==(const current_assignment_record&) const = default;
};
struct topology_record {  // type 23
  std::optional<topology> value;
  bool operator==(const topology_record&) const = default;
};
struct offset_record {  // type 1
  std::string topic;
  std::int32_t partition = 0;
  std::optional<committed_offset> value;
  bool operator==(const offset_record&) const = default;
};

/// Of a classic group while it is empty (spec 04, 12); its members are soft state.
struct classic_metadata {
  std::string protocol_type;
  std::int32_t generation = 0;
  std::int64_t state_timestamp_ms = -1;  ///< since when it is empty; -1 = unknown

  bool operator==(const classic_metadata&) const = default;
};
struct classic_group_record {  // type 2
  std::optional<classic_metadata> value;
  bool operator==(const classic_group_record&) const = default;
};

/// Of a consumer group; its members are soft state (docs/decisions/017).
struct consumer_metadata {
  std::int32_t epoch = 1;
  std::int64_t metadata_hash = 0;

  bool operator==(const consumer_metadata&) const = default;
};
struct consumer_group_record {  // type 3
  std::optional<consumer_metadata> value;
  bool operator==(const consumer_group_record&) const = default;
};

/// One that never had a member.
[[nodiscard]] inline classic_group_record empty_classic_group(std::int64_t now_ms) {
  classic_group_record made{classic_metadata()};
  made.value->state_timestamp_ms = now_ms;
  return made;
}

/// What the application says its topology looks like inside (KIP-1331).
struct topology_description {
  std::int32_t topology_epoch = 0;
  std::string encoded;  ///< as the member sent it: the request's structure, version 0

  bool operator==(const topology_description&) const = default;
};
/// A record of our own: Kafka keeps descriptions in a plug-in, and skips the type in a log it reads.
struct topology_description_record {
  std::optional<topology_description> value;
  bool operator==(const topology_description_record&) const = default;
};
inline constexpr std::int16_t topology_description_type = 1093;

using record = std::variant<group_metadata_record, member_metadata_record, target_metadata_record, target_member_record,
                            current_assignment_record, topology_record, offset_record, classic_group_record,
                            topology_description_record, consumer_group_record>;

/// All records of one event: durable together or not at all (spec 04, 9.3).
using records = std::vector<record>;

/// The record type number in the key: Kafka's 1, 2, 3, 17, 19 to 23, or one of ours.
[[nodiscard]] std::int16_t type_of(const record& r) noexcept;
[[nodiscard]] bool is_tombstone(const record& r) noexcept;

}  // namespace weir::group
