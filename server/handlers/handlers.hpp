// Every handler of embedded mode: its request and the versions it serves. Each is defined in the file of its name.
#pragma once

#include "server/handler.hpp"

namespace weir::protocol {
struct add_offsets_to_txn_request;
struct add_partitions_to_txn_request;
struct api_versions_request;
struct consumer_group_describe_request;
struct consumer_group_heartbeat_request;
struct create_partitions_request;
struct create_topics_request;
struct delete_groups_request;
struct delete_topics_request;
struct describe_cluster_request;
struct describe_configs_request;
struct describe_groups_request;
struct describe_topic_partitions_request;
struct end_txn_request;
struct find_coordinator_request;
struct heartbeat_request;
struct incremental_alter_configs_request;
struct init_producer_id_request;
struct join_group_request;
struct leave_group_request;
struct list_config_resources_request;
struct list_groups_request;
struct list_offsets_request;
struct metadata_request;
struct offset_commit_request;
struct offset_delete_request;
struct offset_fetch_request;
struct sasl_authenticate_request;
struct sasl_handshake_request;
struct share_group_describe_request;
struct share_group_heartbeat_request;
struct streams_group_describe_request;
struct streams_group_heartbeat_request;
struct streams_group_topology_description_update_request;
struct sync_group_request;
struct txn_offset_commit_request;
}  // namespace weir::protocol

namespace weir::server {
struct embedded_node;
}

namespace weir::server::handlers {

struct add_offsets_to_txn : handler<protocol::add_offsets_to_txn_request, versions{0, 4}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct add_partitions_to_txn : handler<protocol::add_partitions_to_txn_request, versions{0, 3}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct api_versions : handler<protocol::api_versions_request, versions{0, 5}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct consumer_group_describe : handler<protocol::consumer_group_describe_request, versions{0, 1}> {
  static const auto& named(const auto& asked) { return asked.group_ids; }
  static void handle(request asked, call c, embedded_node& node);
};
struct consumer_group_heartbeat : handler<protocol::consumer_group_heartbeat_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct create_partitions : handler<protocol::create_partitions_request, versions{0, 3}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct create_topics : handler<protocol::create_topics_request, versions{2, 7}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct delete_groups : handler<protocol::delete_groups_request, versions{0, 3}> {
  static const auto& named(const auto& asked) { return asked.groups_names; }
  static void handle(request asked, call c, embedded_node& node);
};
struct delete_topics : handler<protocol::delete_topics_request, versions{1, 6}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct describe_cluster : handler<protocol::describe_cluster_request, versions{0, 2}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct describe_configs : handler<protocol::describe_configs_request, versions{1, 4}> {
  static const auto& named(const auto& asked) { return asked.resources; }
  static void handle(request asked, call c, embedded_node& node);
};
struct describe_groups : handler<protocol::describe_groups_request, versions{0, 6}> {
  static const auto& named(const auto& asked) { return asked.groups; }
  static void handle(request asked, call c, embedded_node& node);
};
struct describe_topic_partitions : handler<protocol::describe_topic_partitions_request, versions{0, 0}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct end_txn : handler<protocol::end_txn_request, versions{0, 5}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct find_coordinator : handler<protocol::find_coordinator_request, versions{0, 6}> {
  static const auto& named(const auto& asked) { return asked.coordinator_keys; }
  static void handle(request asked, call c, embedded_node& node);
};
struct heartbeat : handler<protocol::heartbeat_request, versions{0, 4}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct incremental_alter_configs : handler<protocol::incremental_alter_configs_request, versions{0, 1}> {
  static const auto& named(const auto& asked) { return asked.resources; }
  static void handle(request asked, call c, embedded_node& node);
};
struct init_producer_id : handler<protocol::init_producer_id_request, versions{0, 5}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct join_group : handler<protocol::join_group_request, versions{0, 9}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct leave_group : handler<protocol::leave_group_request, versions{0, 5}> {
  static const auto& named(const auto& asked) { return asked.members; }
  static void handle(request asked, call c, embedded_node& node);
};
struct list_config_resources : handler<protocol::list_config_resources_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct list_groups : handler<protocol::list_groups_request, versions{0, 5}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct list_offsets : handler<protocol::list_offsets_request, versions{1, 11}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct metadata_api : handler<protocol::metadata_request, versions{0, 13}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct offset_commit : handler<protocol::offset_commit_request, versions{2, 10}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct offset_delete : handler<protocol::offset_delete_request, versions{0, 0}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct offset_fetch : handler<protocol::offset_fetch_request, versions{1, 10}> {
  static const auto& named(const auto& asked) { return asked.groups; }
  static void handle(request asked, call c, embedded_node& node);
};
struct sasl_authenticate : handler<protocol::sasl_authenticate_request, versions{0, 2}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct sasl_handshake : handler<protocol::sasl_handshake_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct share_group_describe : handler<protocol::share_group_describe_request, versions{1, 1}> {
  static const auto& named(const auto& asked) { return asked.group_ids; }
  static void handle(request asked, call c, embedded_node& node);
};
struct share_group_heartbeat : handler<protocol::share_group_heartbeat_request, versions{1, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct streams_group_describe : handler<protocol::streams_group_describe_request, versions{0, 1}> {
  static const auto& named(const auto& asked) { return asked.group_ids; }
  static void handle(request asked, call c, embedded_node& node);
};
struct streams_group_heartbeat : handler<protocol::streams_group_heartbeat_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct streams_group_topology_description_update
    : handler<protocol::streams_group_topology_description_update_request, versions{0, 0}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct sync_group : handler<protocol::sync_group_request, versions{0, 5}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct txn_offset_commit : handler<protocol::txn_offset_commit_request, versions{0, 6}> {
  static void handle(request asked, call c, embedded_node& node);
};

}  // namespace weir::server::handlers
