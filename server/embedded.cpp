#include "server/embedded.hpp"

#include <utility>

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
      handled<handlers::api_versions, n>(),
      handled<handlers::create_partitions, n>(),
      handled<handlers::create_topics, n>(),
      handled<handlers::delete_groups, n>(),
      handled<handlers::delete_topics, n>(),
      handled<handlers::describe_cluster, n>(),
      handled<handlers::describe_configs, n>(),
      handled<handlers::describe_topic_partitions, n>(),
      handled<handlers::find_coordinator, n>(),
      handled<handlers::incremental_alter_configs, n>(),
      handled<handlers::list_groups, n>(),
      handled<handlers::metadata_api, n>(),
      handled<handlers::offset_commit, n>(),
      handled<handlers::offset_fetch, n>(),
      handled<handlers::sasl_authenticate, n>(),
      handled<handlers::sasl_handshake, n>(),
      handled<handlers::streams_group_describe, n>(),
      handled<handlers::streams_group_heartbeat, n>(),
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
  embedded_sessions(actors::coordinator& coordinator, catalogue& topics, const clock& time, embedded_options options)
      : node_{coordinator, topics, time, std::move(options), {}, {}} {
    node_.offer = {.apis = apis_.ranges(),
                   .supported_features = {{"streams.version", 0, 1}},
                   .finalized_features = {{"streams.version", 1}},
                   .finalized_epoch = 0,
                   .cluster_id = topics.cluster_id(),
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

std::unique_ptr<session_factory> make_embedded_sessions(actors::coordinator& coordinator, catalogue& topics,
                                                        const clock& time, embedded_options options) {
  return std::make_unique<embedded_sessions>(coordinator, topics, time, std::move(options));
}

}  // namespace weir::server
