// StreamsGroupDescribe (89): spec 05, 4.9.
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"
#include "server/handlers/describe_each.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using answer = protocol::streams_group_describe_response;
using described_group = answer::described_group_data;

constexpr std::int8_t description_not_stored = 1;
constexpr std::int8_t description_available = 3;

void add_what_was_asked(described_group& to, bool operations_wanted, bool description_wanted) {
  if (operations_wanted) to.authorized_operations = operations::all_of_group;
  if (description_wanted) {
    to.topology_description_status = to.topology_description ? description_available : description_not_stored;
  } else {
    to.topology_description.reset();
  }
}

}  // namespace

void streams_group_describe::handle(request asked, call c, embedded_node& node) {
  const bool operations_wanted = asked.include_authorized_operations;
  const bool description_wanted = asked.include_topology_description;
  describe_each<answer>(asked.group_ids, c, [&, operations_wanted, description_wanted](const text& id, auto put) {
    if (id.empty()) return put(refuse_empty_id<described_group>());
    node.coordinator.describe(id.str(), [put, operations_wanted, description_wanted](described_group group) {
      if (group.error_code == 0) add_what_was_asked(group, operations_wanted, description_wanted);
      put(std::move(group));
    });
  });
}

}  // namespace weir::server::handlers
