// Every handler of embedded mode: its request and the versions it serves. Each is defined in the file of its name.
#pragma once

#include "protocol/messages/api_versions_request.hpp"
#include "protocol/messages/create_partitions_request.hpp"
#include "protocol/messages/create_topics_request.hpp"
#include "protocol/messages/delete_groups_request.hpp"
#include "protocol/messages/delete_topics_request.hpp"
#include "protocol/messages/describe_cluster_request.hpp"
#include "protocol/messages/describe_configs_request.hpp"
#include "protocol/messages/describe_topic_partitions_request.hpp"
#include "protocol/messages/find_coordinator_request.hpp"
#include "protocol/messages/incremental_alter_configs_request.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/metadata_request.hpp"
#include "protocol/messages/offset_commit_request.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/sasl_authenticate_request.hpp"
#include "protocol/messages/sasl_handshake_request.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "server/handler.hpp"

namespace weir::server {
struct embedded_node;
}

namespace weir::server::handlers {

struct api_versions : handler<protocol::api_versions_request, versions{0, 5}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct create_partitions : handler<protocol::create_partitions_request, versions{0, 3}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct create_topics : handler<protocol::create_topics_request, versions{2, 7}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct delete_groups : handler<protocol::delete_groups_request, versions{0, 3}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct delete_topics : handler<protocol::delete_topics_request, versions{1, 6}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct describe_cluster : handler<protocol::describe_cluster_request, versions{0, 2}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct describe_configs : handler<protocol::describe_configs_request, versions{1, 4}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct describe_topic_partitions : handler<protocol::describe_topic_partitions_request, versions{0, 0}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct find_coordinator : handler<protocol::find_coordinator_request, versions{0, 6}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct incremental_alter_configs : handler<protocol::incremental_alter_configs_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct list_groups : handler<protocol::list_groups_request, versions{0, 5}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct metadata_api : handler<protocol::metadata_request, versions{0, 13}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct offset_commit : handler<protocol::offset_commit_request, versions{2, 10}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct offset_fetch : handler<protocol::offset_fetch_request, versions{1, 10}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct sasl_authenticate : handler<protocol::sasl_authenticate_request, versions{0, 2}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct sasl_handshake : handler<protocol::sasl_handshake_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct streams_group_describe : handler<protocol::streams_group_describe_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};
struct streams_group_heartbeat : handler<protocol::streams_group_heartbeat_request, versions{0, 1}> {
  static void handle(request asked, call c, embedded_node& node);
};

}  // namespace weir::server::handlers
