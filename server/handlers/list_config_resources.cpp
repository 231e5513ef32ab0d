// ListConfigResources (74; ListClientMetricsResources in version 0): spec 05, 6.
#include <algorithm>
#include <set>
#include <string>

#include "protocol/error_codes.hpp"
#include "protocol/messages/list_config_resources_request.hpp"
#include "protocol/messages/list_config_resources_response.hpp"
#include "server/handlers/config_resources.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using answer = protocol::list_config_resources_response;

void add(answer& to, std::int8_t type, const std::string& name) {
  auto& resource = to.config_resources.emplace_back();
  resource.resource_name = text(name);
  resource.resource_type = type;
}

}  // namespace

void list_config_resources::handle(request asked, call c, embedded_node& node) {
  constexpr std::int16_t types_from = 1;
  namespace r = config_resource;
  const std::set<std::int8_t> known{r::topic, r::broker, r::broker_logger, r::client_metrics, r::group};
  answer out;
  std::set<std::int8_t> wanted(asked.resource_types.begin(), asked.resource_types.end());
  if (c.version() < types_from) wanted = {r::client_metrics};
  if (wanted.empty()) wanted = known;
  if (!std::ranges::includes(known, wanted)) {
    out.error_code = code_of(protocol::error_code::unsupported_version);
    return c.answer(out);
  }
  const auto node_name = std::to_string(node.options.node_id);
  if (wanted.contains(r::group)) {
    for (const auto& id : node.coordinator.configured_groups()) add(out, r::group, id);
  }
  if (wanted.contains(r::broker_logger)) add(out, r::broker_logger, node_name);
  if (wanted.contains(r::broker)) add(out, r::broker, node_name);
  if (wanted.contains(r::topic)) {
    for (const auto& topic : node.topics.current()->topics()) add(out, r::topic, topic->name);
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
