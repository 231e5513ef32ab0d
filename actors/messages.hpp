// What travels between actors. Values are small or shared; nothing here is ever serialised.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/caf_api.hpp"
#include "actors/pending.hpp"

namespace weir::actors {

// To a group.

struct heartbeat_message {
  std::shared_ptr<pending_heartbeat> request;
};
struct describe_message {
  shared_reply<protocol::streams_group_describe_response::described_group_data> request;
};
struct view_message {
  shared_reply<viewed_group> request;
  bool with_timeline = false;
  std::optional<std::string> member;  ///< just this one, by id or instance id
};
struct probe_message {
  std::string member;  ///< by id or instance id; empty: the group
  shared_reply<told_health> request;
};
struct timeline_message {
  timeline_query query;
  shared_reply<told_timeline> request;
};

/// Gathers the rows of a list, in the end by id; answers when the last group has dropped it.
class row_collector {
 public:
  row_collector(std::vector<group::group_summary> known, reply<std::vector<group::group_summary>> done)
      : rows_(std::move(known)), done_(std::move(done)) {}
  ~row_collector();
  row_collector(const row_collector&) = delete;
  row_collector& operator=(const row_collector&) = delete;
  void add(group::group_summary row) {
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(row));
  }

 private:
  std::mutex mutex_;
  std::vector<group::group_summary> rows_;
  reply<std::vector<group::group_summary>> done_;
};
/// One group's row, until it may be shown; refused, it says only that the group is being read from the log.
class pending_row final : public pending_answer {
 public:
  pending_row(std::shared_ptr<row_collector> rows, group::group_summary row)
      : rows_(std::move(rows)), row_(std::move(row)) {}
  ~pending_row() override { reject(protocol::error_code::not_coordinator); }
  void answer() {
    if (const auto rows = std::exchange(rows_, nullptr)) rows->add(std::move(row_));
  }
  void reject(protocol::error_code /*code*/) noexcept override {
    const auto rows = std::exchange(rows_, nullptr);
    if (rows) rows->add(group::loading_summary(std::move(row_.id), row_.kind));
  }

 private:
  std::shared_ptr<row_collector> rows_;
  group::group_summary row_;
};
struct summary_message {
  std::shared_ptr<row_collector> rows;
};

struct commit_message {
  std::shared_ptr<const commit_request> commit;
  shared_reply<protocol::error_code> request;
  bool check_only = false;
};
struct fetch_message {
  std::shared_ptr<const fetch_request> fetch;
  shared_reply<fetched_offsets> request;     // this one, or
  shared_reply<protocol::error_code> check;  // this one, which wants the verdict only
};
struct delete_offsets_message {
  std::shared_ptr<const offset_deletion_request> deletion;
  shared_reply<offset_deletion_answer> request;
};
struct end_transaction_message {
  transaction_end end;
  shared_reply<protocol::error_code> request;
};
struct description_message {
  framed<protocol::streams_group_topology_description_update_request> update;
  shared_reply<protocol::kafka_result<void>> request;
};
struct join_message {
  framed<protocol::join_group_request> join;
  std::shared_ptr<const group::classic_context> context;
  shared_reply<protocol::join_group_response> request;
};
struct sync_message {
  framed<protocol::sync_group_request> sync;
  shared_reply<protocol::sync_group_response> request;
};
struct beat_message {
  framed<protocol::heartbeat_request> beat;
  shared_reply<protocol::error_code> request;
};
struct leave_message {
  framed<protocol::leave_group_request> leave;
  std::int16_t version = 0;
  shared_reply<protocol::leave_group_response> request;
};
struct describe_classic_message {
  shared_reply<protocol::describe_groups_response::described_group_data> request;
};
struct consumer_message {
  framed<protocol::consumer_group_heartbeat_request> beat;
  std::shared_ptr<const group::consumer_caller> caller;
  shared_reply<protocol::consumer_group_heartbeat_response> request;
};
struct describe_consumers_message {
  shared_reply<protocol::consumer_group_describe_response::described_group_data> request;
};
/// Time to look for expired offsets.
struct clean_up_message {};

/// The node is about to stop: who waits for other members is let go.
struct let_go_message {};
struct delete_message {
  shared_reply<protocol::error_code> request;
};
struct alter_config_message {
  std::shared_ptr<const config_edit> edit;
  shared_reply<protocol::kafka_result<void>> request;
};
/// Anything an administrator asks for (administration.hpp).
struct admin_message {
  std::shared_ptr<const admin_request> asked;
  shared_reply<admin_result> request;
};
/// The defaults of all groups have been changed, by whom.
struct defaults_message {
  std::string by;
};
/// Appends of one incarnation of the group: durable up to `durable`; with `failure`, everything above it failed.
struct log_progress_message {
  std::uint64_t incarnation = 0;
  std::uint64_t durable = 0;
  std::optional<std::string> failure;
};
/// A required topic appeared, vanished or changed.
struct image_message {};
/// Topics are gone; the current image knows which.
struct topics_deleted_message {};
struct wake_up_message {
  std::uint64_t token = 0;
};

// To the metadata actor.

/// Called exactly once, at the latest when it is dropped because everything stops.
class publish_done {
 public:
  explicit publish_done(std::function<void()> done) : done_(std::move(done)) {}
  ~publish_done() { finish(); }
  publish_done(const publish_done&) = delete;
  publish_done& operator=(const publish_done&) = delete;
  void finish() {
    if (auto done = std::exchange(done_, nullptr)) done();
  }

 private:
  std::function<void()> done_;
};
struct publish_message {
  metadata::image_ptr image;
  std::shared_ptr<publish_done> done;
};

// To the log actor.

/// Outcomes wait in the log's outbox.
struct outcomes_message {};

// To the sweeper.

struct clean_up_due_message {};

// To the directory's supervisor.

struct watch_message {
  std::string group_id;
  actor_handle actor;
};
/// The pause before a replacement is over.
struct respawn_message {
  std::string group_id;
  actor_number dead = 0;
};

}  // namespace weir::actors

WEIR_MESSAGE(weir::actors::heartbeat_message)
WEIR_MESSAGE(weir::actors::describe_message)
WEIR_MESSAGE(weir::actors::view_message)
WEIR_MESSAGE(weir::actors::probe_message)
WEIR_MESSAGE(weir::actors::timeline_message)
WEIR_MESSAGE(weir::actors::summary_message)
WEIR_MESSAGE(weir::actors::commit_message)
WEIR_MESSAGE(weir::actors::fetch_message)
WEIR_MESSAGE(weir::actors::delete_message)
WEIR_MESSAGE(weir::actors::alter_config_message)
WEIR_MESSAGE(weir::actors::log_progress_message)
WEIR_MESSAGE(weir::actors::image_message)
WEIR_MESSAGE(weir::actors::topics_deleted_message)
WEIR_MESSAGE(weir::actors::wake_up_message)
WEIR_MESSAGE(weir::actors::publish_message)
WEIR_MESSAGE(weir::actors::outcomes_message)
WEIR_MESSAGE(weir::actors::watch_message)
WEIR_MESSAGE(weir::actors::respawn_message)
WEIR_MESSAGE(weir::actors::delete_offsets_message)
WEIR_MESSAGE(weir::actors::end_transaction_message)
WEIR_MESSAGE(weir::actors::description_message)
WEIR_MESSAGE(weir::actors::join_message)
WEIR_MESSAGE(weir::actors::sync_message)
WEIR_MESSAGE(weir::actors::beat_message)
WEIR_MESSAGE(weir::actors::leave_message)
WEIR_MESSAGE(weir::actors::describe_classic_message)
WEIR_MESSAGE(weir::actors::consumer_message)
WEIR_MESSAGE(weir::actors::describe_consumers_message)
WEIR_MESSAGE(weir::actors::clean_up_message)
WEIR_MESSAGE(weir::actors::let_go_message)
WEIR_MESSAGE(weir::actors::clean_up_due_message)
WEIR_MESSAGE(weir::actors::admin_message)
WEIR_MESSAGE(weir::actors::defaults_message)
