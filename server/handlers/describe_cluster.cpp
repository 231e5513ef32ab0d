// DescribeCluster (60).
#include "protocol/error_codes.hpp"
#include "protocol/messages/describe_cluster_request.hpp"
#include "protocol/messages/describe_cluster_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;

constexpr std::int8_t brokers = 1;
constexpr std::int8_t controllers = 2;

}  // namespace

void describe_cluster::handle(request asked, call c, embedded_node& node) {
  protocol::describe_cluster_response out;
  out.endpoint_type = brokers;
  if (asked.endpoint_type != brokers) {
    const bool known = asked.endpoint_type == controllers;
    out.error_code = code_of(known ? error_code::mismatched_endpoint_type : error_code::unsupported_endpoint_type);
    out.error_message = known ? text("This is an endpoint of type BROKER, the request is for type CONTROLLER")
                              : text("Unsupported endpoint type " + std::to_string(asked.endpoint_type));
    return c.answer(out);
  }
  out.cluster_id = text::view(node.topics.cluster_id());
  out.controller_id = node.options.node_id;
  out.brokers.push_back(
      {.broker_id = node.options.node_id, .host = text::view(node.host(c)), .port = node.port(c), .rack = {}});
  if (node.options.rack) out.brokers.back().rack = text::view(*node.options.rack);
  if (asked.include_cluster_authorized_operations) out.cluster_authorized_operations = operations::all_of_cluster;
  c.answer(out);
}

}  // namespace weir::server::handlers
