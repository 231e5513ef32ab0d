// The coordinator as every other room sees it: requests in, answers out, no CAF. Behind it every group is an actor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/administration.hpp"
#include "actors/answer_sink.hpp"
#include "actors/counters.hpp"
#include "actors/event_feed.hpp"
#include "actors/group_apis.hpp"
#include "actors/group_defaults.hpp"
#include "actors/rebalance_loops.hpp"
#include "actors/timeline.hpp"
#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "group/config.hpp"
#include "group/consumer/consumer_group.hpp"
#include "group/describe.hpp"
#include "group/health.hpp"
#include "group/heartbeat/heartbeat.hpp"
#include "group/offsets/commit.hpp"
#include "group/offsets/expire.hpp"
#include "group/offsets/transactions.hpp"
#include "group/topology/configure.hpp"
#include "metadata/image.hpp"
#include "protocol/error_codes.hpp"
#include "storage/record_log.hpp"

namespace weir::actors {

/// One StreamsGroupHeartbeat on its way to its group. The views inside request and context look into frame (and into
/// client_host's owner), which the call keeps alive until it is answered.
struct heartbeat_call {
  shared_frame frame;
  protocol::streams_group_heartbeat_request request;
  group::request_context context;
  std::int32_t correlation_id = 0;
  std::shared_ptr<answer_sink> sink;
  std::uint64_t slot = 0;
};

/// Port: creates internal topics, fire and forget (spec 01, 5.5). Any thread; must not block.
class internal_topics {
 public:
  virtual ~internal_topics() = default;
  /// Starts creating those topics that are neither being created nor in the error cache. Answers the cached errors of
  /// the listed topics as (topic, reason), for the detail of status 3. An entry lives 2 x heartbeat_interval_ms.
  virtual std::vector<std::pair<std::string, std::string>> ensure(
      std::string_view group_id, const std::map<std::string, group::internal_topic, std::less<>>& topics,
      std::int32_t heartbeat_interval_ms) = 0;
};

/// Member fields of a commit, owned, as group::commit_check views them.
struct commit_request {
  std::string group_id;
  std::int16_t version = 9;
  bool transactional = false;
  std::string member_id;
  std::optional<std::string> instance_id;
  std::int32_t member_epoch = -1;
  std::vector<group::offset_entry> entries;
  /// Of a transactional commit that this coordinator keeps: nothing is visible before the transaction ends.
  std::optional<group::producer> producer;
};

struct fetch_request {
  std::string group_id;
  std::optional<std::string> member_id;
  std::int32_t member_epoch = -1;
};

/// All committed offsets of the group, or why they may not be read.
struct fetched_offsets {
  protocol::error_code error = protocol::error_code::none;
  std::map<std::string, std::map<std::int32_t, group::committed_offset>> offsets;
  std::set<group::offset_name> unstable;  ///< an open transaction has something pending there
};

/// Never null.
using viewed_group = protocol::kafka_result<std::shared_ptr<const group::group_view>>;

using told_health = protocol::kafka_result<group::health_view>;
using told_timeline = protocol::kafka_result<timeline_page>;
/// Refused: GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, INVALID_CONFIG, INVALID_UPDATE_VERSION, INVALID_REQUEST for what
/// the state of the group does not allow, or a retriable error.
using admin_result = protocol::kafka_result<admin_answer>;

/// A part of all groups, in the order of their ids.
struct group_range {
  std::optional<std::string> after;  ///< those above this id; nothing: from the start, which may be the id ""
  std::string prefix;                ///< those that begin with it
  std::size_t most = 0;              ///< how many are asked, at least 1
};

/// Rows of a group_range.
struct group_rows {
  std::vector<group::group_summary> rows;  ///< by id; a group that is `none` has no row
  std::string last;                        ///< the last id that was asked: `after` of the following part
  bool complete = false;                   ///< nothing follows
};

struct coordinator_options {
  group::broker_config broker;
  group::consumer_options consumer;
  bool strict_kafka = false;
  std::size_t threads = 2;                 ///< CAF worker threads
  std::int64_t answer_timeout_ms = 5'000;  ///< offsets.commit.timeout.ms: longest an answer waits for the log
  timeline_limits timeline;                ///< explanations kept of each group
  loop_limits loops;                       ///< what is a rebalance loop
  bool keeps_descriptions = false;         ///< members are asked for topology descriptions
  group::retention retention;              ///< of committed offsets
  std::int64_t clean_up_interval_ms = 0;   ///< offsets.retention.check.interval.ms; 0 = never
};

/// Changes a group's overrides in place, or refuses. Called on a thread of the coordinator, which it must not hold up.
using config_edit = std::function<protocol::kafka_result<void>(group::overrides& set)>;

/// Starts all actors over a log that has been opened; every method may be called from any thread.
class coordinator : public group_apis {
 public:
  /// Replays the log into group actors before it returns. `topics` and `log` and `time` must outlive the coordinator.
  static result<std::unique_ptr<coordinator>> start(coordinator_options options, storage::record_log& log,
                                                    internal_topics& topics, clock& time, metadata::image_ptr image);
  ~coordinator() override = default;  ///< stop() first

  /// Before stop(): requests that wait for other members are refused with NOT_COORDINATOR, also those that come later.
  virtual void let_go() = 0;
  /// Answers everything that is held, ends every actor, leaves the log open. Takes at most limit_ms.
  virtual void stop(std::int64_t limit_ms) = 0;

  /// Spec 01. The answer goes to call.sink, encoded, after the records it depends on are durable.
  virtual void heartbeat(heartbeat_call call) = 0;

  /// Reads see the last committed state (spec 04, 9.1). An unknown group: error 69.
  virtual void describe(std::string group_id,
                        reply<protocol::streams_group_describe_response::described_group_data> done) = 0;
  /// Every group that is not `none`, by id; of one that is being read from the log just what group_summary::loading
  /// says.
  virtual void list(reply<std::vector<group::group_summary>> done) = 0;
  /// The same for a part of them; costs what the part costs, however many groups there are.
  virtual void list_some(group_range range, reply<group_rows> done) = 0;
  /// Error: GROUP_ID_NOT_FOUND, or a retriable one while the group cannot be asked (COORDINATOR_LOAD_IN_PROGRESS).
  /// Copies the group and reads the newest events of its timeline.
  virtual void view(std::string group_id, reply<viewed_group> done) = 0;
  /// The same without events.
  virtual void view_state(std::string group_id, reply<viewed_group> done) = 0;
  /// The same with that one member only, by id or instance id, or with none if there is none such: what
  /// group::with_one_member() leaves of the group. Its cost does not grow with the group.
  virtual void view_member(std::string group_id, std::string member, reply<viewed_group> done) = 0;
  /// For probes: copies nothing; the words are at most a second old. `member` by id or instance id; empty: none.
  /// Errors as of view().
  virtual void health_of(std::string group_id, std::string member, reply<told_health> done) = 0;
  /// Events of a group, newest first. Errors as of view().
  virtual void timeline_of(std::string group_id, timeline_query query, reply<told_timeline> done) = 0;

  /// Validates (spec 05, 4.2) and writes; the answer is durable. Error of the whole request.
  virtual void commit(commit_request request, reply<protocol::error_code> done) = 0;
  /// Validates only: for the gateway, which then commits upstream (spec 05, 8.5).
  virtual void check_commit(commit_request request, reply<protocol::error_code> done) = 0;
  virtual void fetch(fetch_request request, reply<fetched_offsets> done) = 0;
  /// Validates only, for the gateway.
  virtual void check_fetch(fetch_request request, reply<protocol::error_code> done) = 0;
  /// DeleteGroups (spec 05, 4.6): 69 unknown, 68 live, else all tombstones.
  virtual void delete_group(std::string group_id, reply<protocol::error_code> done) = 0;

  /// Changes the overrides of a group (existing or not); the outcome must pass group::check, else INVALID_CONFIG.
  /// Durable before the answer.
  virtual void alter_config(std::string group_id, config_edit edit, reply<protocol::kafka_result<void>> done) = 0;
  virtual void config(std::string group_id, reply<group::overrides> done) = 0;
  /// In force for the group's next request; durable before the answer.
  virtual void administer(admin_request request, reply<admin_result> done) = 0;

  /// What groups inherit now: options().broker, and what has been tuned since. Never null; cheap, any thread.
  [[nodiscard]] virtual defaults_ptr defaults() const = 0;
  /// Durable before the answer, and every group has been told: requests sent afterwards are judged by them. Refused as
  /// defaults_after(), or retriable, also while another change is being written.
  virtual void alter_defaults(defaults_request request, reply<defaults_result> done) = 0;

  /// A new image from the metadata source. `done` comes after every group that cares has been told, so a heartbeat sent
  /// afterwards is judged by it.
  virtual void publish_image(metadata::image_ptr image, std::function<void()> done) = 0;
  [[nodiscard]] virtual metadata::image_ptr image() const = 0;

  /// Whether a streams group lives under this id (for the gateway's routing). Cheap, any thread.
  [[nodiscard]] bool has_streams_group(std::string_view group_id) const {
    return kind_of(group_id) == group::group_kind::streams;
  }
  [[nodiscard]] virtual const coordinator_options& options() const noexcept = 0;
  /// What has been counted since the start, for /metrics. Any thread.
  [[nodiscard]] const coordinator_counters& counters() const noexcept { return counters_; }
  /// Events of all groups as they become durable. Any thread.
  [[nodiscard]] event_feed& feed() noexcept { return feed_; }

 protected:
  coordinator_counters counters_;
  event_feed feed_;
};

}  // namespace weir::actors
