// ConsumerGroupDescribe (69): KIP-848, docs/decisions/017.
#include "protocol/messages/consumer_group_describe_request.hpp"
#include "protocol/messages/consumer_group_describe_response.hpp"
#include "server/handlers/describe_each.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void consumer_group_describe::handle(request asked, call c, embedded_node& node) {
  using answer = protocol::consumer_group_describe_response;
  using part = answer::described_group_data;
  const bool operations_wanted = asked.include_authorized_operations;
  describe_each<answer>(asked.group_ids, c, [&node, operations_wanted](const text& id, auto put) {
    if (id.empty()) return put(refuse_empty_id<part>());
    node.coordinator.describe_consumers(id.str(), [put, operations_wanted](part group) {
      if (operations_wanted && group.error_code == 0) group.authorized_operations = operations::all_of_group;
      put(std::move(group));
    });
  });
}

}  // namespace weir::server::handlers
