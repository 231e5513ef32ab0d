// Rehearsal of a migration from the classic protocol: what would become of an application that starts with
// group.protocol=streams, held against what is there. Changes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "group/topology/configure.hpp"
#include "group/what_if.hpp"

namespace weir::group {

/// How a check ended. error: the migration fails or has to wait; warning: it works, and differs from what was before.
enum class verdict : std::uint8_t { ok, warning, error };
[[nodiscard]] std::string_view name(verdict of) noexcept;

/// What is under the application's id before the migration.
struct former_group {
  group_kind kind = group_kind::none;
  std::string state;          ///< Kafka's name, `Empty`; empty if there is no such group
  std::string protocol_type;  ///< of a classic group: `consumer`
  std::vector<std::string> members;  ///< for people
  std::map<std::string, std::map<std::int32_t, std::int64_t>, std::less<>> offsets;  ///< committed, by topic
  bool has_open_transactions = false;  ///< with offsets of it
  /// Nothing: all of the above is known. Otherwise why it is not.
  std::optional<std::string> unknown;
};
[[nodiscard]] former_group former_of(const group_view& view);

struct rehearsal_question {
  weir::group::topology topology;
  std::int32_t processes = 1;  ///< processes x threads: 1 .. added_members_max
  std::int32_t threads = 1;    ///< of each
  std::map<std::string, std::string, std::less<>> client;  ///< the application's settings by name
  config_change config;        ///< of the group, to be made before the start
};

struct rehearsal_basis {
  std::string group_id;
  const former_group& group;
  const overrides& own_config;
  const broker_config& broker;
  metadata::image_ptr image;
  bool strict_kafka = false;
  match_limit matching = {};  ///< how long patterns may be tried on topics
  bool is_gateway = false;  ///< topics, offsets and rights are another cluster's
};

struct rehearsal_check {
  std::string_view name;  ///< `group`, `offsets`, ...: the names in the order of rehearse()
  verdict outcome = verdict::ok;
  std::string text;
};

/// A topic of the application.
struct rehearsed_topic {
  std::string name;
  std::string_view role;      ///< `source`, `repartition`, `changelog`; `internal`: one of these with a wrong count
  std::int32_t expected = 0;  ///< partitions; 0: any number
  std::int32_t found = 0;     ///< 0: it does not exist
  verdict outcome = verdict::ok;
};

/// A setting of the client that the streams protocol ignores.
struct rehearsed_setting {
  std::string name;
  std::string value;       ///< on the client
  std::string group_name;  ///< where it is set now; empty: nowhere
  std::string in_force;    ///< there
  verdict outcome = verdict::ok;
  std::string text;
};

/// Offsets of one topic that the application goes on from, or that it leaves behind.
struct carried_offsets {
  std::string topic;
  std::int32_t partitions = 0;  ///< with an offset
  bool is_read = true;          ///< by the application
};

struct rehearsal {
  std::vector<rehearsal_check> checks;
  std::vector<rehearsed_topic> topics;
  std::vector<carried_offsets> offsets;
  std::vector<rehearsed_setting> settings;
  std::optional<what_if_answer> plan;  ///< the first assignment; nothing if there can be none
  std::vector<std::string> rights;     ///< what the application's principal needs: `READ on group orders`
  std::vector<std::string> way_back;   ///< steps

  [[nodiscard]] verdict outcome() const noexcept;  ///< the worst of the checks
};

/// Checks group, offsets, topology, source-topics, internal-topics, rights, client-settings, assignment. Refused
/// (INVALID_CONFIG) only for a change of settings that cannot be made.
[[nodiscard]] protocol::kafka_result<rehearsal> rehearse(const rehearsal_question& asked, const rehearsal_basis& basis);

// Its parts.

/// A topology that can run, perhaps with internal topics to be created.
struct fitting_topology {
  configured_topology configured;
  std::shared_ptr<const pattern_matches> matches;  ///< null: it has no patterns
};

/// Adds the checks of the topology and its topics, and the topics. Nothing if it cannot run.
[[nodiscard]] std::optional<fitting_topology> rehearse_topics(const rehearsal_question& asked,
                                                              const rehearsal_basis& basis, rehearsal& to);
/// The topics there are once the internal ones that are missing have been created.
[[nodiscard]] metadata::image_ptr with_internal_topics(const metadata::image_ptr& image,
                                                       const configured_topology& configured);
/// The client's settings against those in force for the group.
void rehearse_settings(const rehearsal_question& asked, const rehearsal_basis& basis, const group_config& in_force,
                       rehearsal& to);

}  // namespace weir::group
