// DescribeGroups (15): spec 05, 4.7. Before version 6 a group that is no classic one looks like a dead one.
#include "protocol/error_codes.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_groups_response.hpp"
#include "server/handlers/describe_each.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void describe_groups::handle(request asked, call c, embedded_node& node) {
  using answer = protocol::describe_groups_response;
  constexpr std::int16_t not_found_from = 6;
  const bool operations_wanted = asked.include_authorized_operations;
  describe_each<answer>(asked.groups, c, [&node, operations_wanted, version = c.version()](const text& id, auto put) {
    node.coordinator.describe_classic(id.str(), [put, operations_wanted, version](answer::described_group_data group) {
      if (version < not_found_from && group.error_code == code_of(protocol::error_code::group_id_not_found)) {
        group.error_code = 0;
        group.error_message = std::nullopt;
      }
      if (operations_wanted && group.error_code == 0) group.authorized_operations = operations::all_of_group;
      put(std::move(group));
    });
  });
}

}  // namespace weir::server::handlers
