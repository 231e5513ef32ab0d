// The coordinator over CAF: everything that groups share, the directory and the actors of one node.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "actors/coordinator.hpp"
#include "actors/directory.hpp"
#include "actors/log_actor.hpp"
#include "actors/system.hpp"

namespace weir::actors {

struct view_message;

/// The log has no room for such ids, so nothing has them.
[[nodiscard]] inline bool too_long(std::string_view id) { return id.size() > storage::id_bytes_max; }
/// Refuses a request whose answer is nothing but a code.
[[nodiscard]] inline protocol::error_code same_code(protocol::error_code code) { return code; }

/// What a node stands on; outlives it.
struct node_ports {
  storage::record_log& log;
  internal_topics& topics;
  clock& time;
};

class node final : public coordinator {
 public:
  static result<std::unique_ptr<node>> start(coordinator_options options, node_ports ports, metadata::image_ptr image,
                                             scheduling how);
  ~node() override;

  void let_go() override;
  void stop(std::int64_t limit_ms) override;
  void heartbeat(heartbeat_call call) override;
  void describe(std::string group_id,
                reply<protocol::streams_group_describe_response::described_group_data> done) override;
  void list(reply<std::vector<group::group_summary>> done) override;
  void list_some(group_range range, reply<group_rows> done) override;
  void view(std::string group_id, reply<viewed_group> done) override;
  void view_state(std::string group_id, reply<viewed_group> done) override;
  void view_member(std::string group_id, std::string member, reply<viewed_group> done) override;
  void health_of(std::string group_id, std::string member, reply<told_health> done) override;
  void timeline_of(std::string group_id, timeline_query query, reply<told_timeline> done) override;
  void commit(commit_request request, reply<protocol::error_code> done) override;
  void check_commit(commit_request request, reply<protocol::error_code> done) override;
  void fetch(fetch_request request, reply<fetched_offsets> done) override;
  void check_fetch(fetch_request request, reply<protocol::error_code> done) override;
  void delete_group(std::string group_id, reply<protocol::error_code> done) override;
  void delete_offsets(offset_deletion_request request, reply<offset_deletion_answer> done) override;
  void end_transaction(transaction_end end, reply<protocol::error_code> done) override;
  void update_description(framed<protocol::streams_group_topology_description_update_request> request,
                          reply<protocol::kafka_result<void>> done) override;
  void join_classic(framed<protocol::join_group_request> request, group::classic_context context,
                    reply<protocol::join_group_response> done) override;
  void sync_classic(framed<protocol::sync_group_request> request, reply<protocol::sync_group_response> done) override;
  void beat_classic(framed<protocol::heartbeat_request> request, reply<protocol::error_code> done) override;
  void leave_classic(framed<protocol::leave_group_request> request, std::int16_t version,
                     reply<protocol::leave_group_response> done) override;
  void describe_classic(std::string group_id,
                        reply<protocol::describe_groups_response::described_group_data> done) override;
  void heartbeat_consumer(framed<protocol::consumer_group_heartbeat_request> request, group::consumer_caller caller,
                          reply<protocol::consumer_group_heartbeat_response> done) override;
  void describe_consumers(std::string group_id,
                          reply<protocol::consumer_group_describe_response::described_group_data> done) override;
  [[nodiscard]] group::group_kind kind_of(std::string_view group_id) const override {
    return groups_.kind_of(group_id);
  }
  [[nodiscard]] std::vector<std::string> configured_groups() const override { return configs_.group_ids(); }
  void alter_config(std::string group_id, config_edit edit, reply<protocol::kafka_result<void>> done) override;
  void config(std::string group_id, reply<group::overrides> done) override;
  void administer(admin_request request, reply<admin_result> done) override;
  [[nodiscard]] defaults_ptr defaults() const override { return defaults_.get(); }
  void alter_defaults(defaults_request request, reply<defaults_result> done) override;
  void publish_image(metadata::image_ptr image, std::function<void()> done) override;
  [[nodiscard]] metadata::image_ptr image() const override { return images_.get().first; }
  [[nodiscard]] const coordinator_options& options() const noexcept override { return services_.options; }

  /// For tests with manual scheduling, and that make an actor die.
  [[nodiscard]] actors::system& system() noexcept { return system_; }
  [[nodiscard]] directory& groups() noexcept { return groups_; }
  /// Those that nothing works without: if one ends while the node is not stopping, the process ends (status 1).
  [[nodiscard]] std::array<actor_handle, 3> essential() const { return {supervisor_, log_, metadata_}; }

 private:
  node(coordinator_options options, assignor::registry assignors, node_ports ports, metadata::image_ptr image,
       scheduling how);
  result<void> load();
  [[nodiscard]] std::vector<std::string> groups_that_follow(const group_defaults& next) const;
  void write_defaults(defaults_answer next, const std::string& by, const shared_reply<defaults_result>& request);
  void ask_for_view(const std::string& group_id, view_message message, reply<viewed_group> done);
  void write_offsets(commit_request request, reply<protocol::error_code> done, bool check_only);

  assignor::registry assignors_;
  current_image images_;
  metadata::hash_cache hashes_;
  config_store configs_;
  defaults_store defaults_;
  std::shared_ptr<outcome_box> outcomes_ = std::make_shared<outcome_box>();
  log_appender appender_;
  group_services services_;
  actors::system system_;
  directory groups_;
  actor_handle supervisor_;
  actor_handle log_;
  actor_handle sweeper_;  // null if nothing is cleaned up
  std::mutex metadata_mutex_;
  actor_handle metadata_;  // null once stopped
  std::atomic<bool> stopped_{false};
  bool abandoned_ = false;  // some actor would not end
};

}  // namespace weir::actors
