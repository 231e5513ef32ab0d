#include "server/embedded.hpp"

#include <utility>

#include "protocol/messages/add_offsets_to_txn_request.hpp"
#include "protocol/messages/add_partitions_to_txn_request.hpp"
#include "protocol/messages/api_versions_request.hpp"
#include "protocol/messages/consumer_group_describe_request.hpp"
#include "protocol/messages/consumer_group_heartbeat_request.hpp"
#include "protocol/messages/create_partitions_request.hpp"
#include "protocol/messages/create_topics_request.hpp"
#include "protocol/messages/delete_groups_request.hpp"
#include "protocol/messages/delete_topics_request.hpp"
#include "protocol/messages/describe_cluster_request.hpp"
#include "protocol/messages/describe_configs_request.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_topic_partitions_request.hpp"
#include "protocol/messages/end_txn_request.hpp"
#include "protocol/messages/find_coordinator_request.hpp"
#include "protocol/messages/heartbeat_request.hpp"
#include "protocol/messages/incremental_alter_configs_request.hpp"
#include "protocol/messages/init_producer_id_request.hpp"
#include "protocol/messages/join_group_request.hpp"
#include "protocol/messages/leave_group_request.hpp"
#include "protocol/messages/list_config_resources_request.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/list_offsets_request.hpp"
#include "protocol/messages/metadata_request.hpp"
#include "protocol/messages/offset_commit_request.hpp"
#include "protocol/messages/offset_delete_request.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/sasl_authenticate_request.hpp"
#include "protocol/messages/sasl_handshake_request.hpp"
#include "protocol/messages/share_group_describe_request.hpp"
#include "protocol/messages/share_group_heartbeat_request.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "protocol/messages/streams_group_topology_description_update_request.hpp"
#include "protocol/messages/sync_group_request.hpp"
#include "protocol/messages/txn_offset_commit_request.hpp"
#include "server/dispatch.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server {
namespace {

using table = api_table<embedded_node>;

/// Every API of embedded mode. A new one is a file in handlers/ and a line here.
table make_table() {
  using n = embedded_node;
  return table({
      handled<handlers::add_offsets_to_txn, n>(),
      handled<handlers::add_partitions_to_txn, n>(),
      handled<handlers::api_versions, n>(),
      handled<handlers::consumer_group_describe, n>(),
      handled<handlers::consumer_group_heartbeat, n>(),
      handled<handlers::create_partitions, n>(),
      handled<handlers::create_topics, n>(),
      handled<handlers::delete_groups, n>(),
      handled<handlers::delete_topics, n>(),
      handled<handlers::describe_cluster, n>(),
      handled<handlers::describe_configs, n>(),
      handled<handlers::describe_groups, n>(),
      handled<handlers::describe_topic_partitions, n>(),
      handled<handlers::end_txn, n>(),
      handled<handlers::find_coordinator, n>(),
      handled<handlers::heartbeat, n>(),
      handled<handlers::incremental_alter_configs, n>(),
      handled<handlers::init_producer_id, n>(),
      handled<handlers::join_group, n>(),
      handled<handlers::leave_group, n>(),
      handled<handlers::list_config_resources, n>(),
      handled<handlers::list_groups, n>(),
      handled<handlers::list_offsets, n>(),
      handled<handlers::metadata_api, n>(),
      handled<handlers::offset_commit, n>(),
      handled<handlers::offset_delete, n>(),
      handled<handlers::offset_fetch, n>(),
      handled<handlers::sasl_authenticate, n>(),
      handled<handlers::sasl_handshake, n>(),
      handled<handlers::share_group_describe, n>(),
      handled<handlers::share_group_heartbeat, n>(),
      handled<handlers::streams_group_describe, n>(),
      handled<handlers::streams_group_heartbeat, n>(),
      handled<handlers::streams_group_topology_description_update, n>(),
      handled<handlers::sync_group, n>(),
      handled<handlers::txn_offset_commit, n>(),
  });
}

class embedded_session final : public connection_session {
 public:
  embedded_session(const table& apis, embedded_node& node) : apis_(apis), node_(node) {}
  result<void> on_request(request_in request) override { return apis_.run(node_, node_.offer, std::move(request)); }

 private:
  const table& apis_;
  embedded_node& node_;
};

class embedded_sessions final : public session_factory {
 public:
  embedded_sessions(embedded_parts parts, const clock& time, embedded_options options)
      : node_{parts.coordinator, parts.topics, parts.producers, time, std::move(options), {}, {}} {
    node_.offer = {.apis = apis_.ranges(),
                   .supported_features = {{"streams.version", 0, 1}},
                   .finalized_features = {{"streams.version", 1}},
                   .finalized_epoch = 0,
                   .cluster_id = parts.topics.cluster_id(),
                   .node_id = node_.options.node_id};
  }

  std::unique_ptr<connection_session> open(const std::shared_ptr<client_connection>& /*connection*/) override {
    return std::make_unique<embedded_session>(apis_, node_);
  }

 private:
  const table apis_ = make_table();
  embedded_node node_;
};

}  // namespace

std::unique_ptr<session_factory> make_embedded_sessions(embedded_parts parts, const clock& time,
                                                        embedded_options options) {
  return std::make_unique<embedded_sessions>(parts, time, std::move(options));
}

}  // namespace weir::server
