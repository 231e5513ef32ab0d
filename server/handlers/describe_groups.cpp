// DescribeGroups (15): spec 05, 4.7. Before version 6 a group that is no classic one looks like a dead one.
#include <vector>

#include "protocol/error_codes.hpp"
#include "protocol/messages/describe_groups_request.hpp"
#include "protocol/messages/describe_groups_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/mentions.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void describe_groups::handle(request asked, call c, embedded_node& node) {
  using part = protocol::describe_groups_response::described_group_data;
  constexpr std::int16_t not_found_from = 6;
  const auto parts = gather<part>::of(asked.groups.size(), [c](std::vector<part> groups) {
    protocol::describe_groups_response out;
    out.groups = std::move(groups);
    c.answer(out);
  });
  const bool operations_wanted = asked.include_authorized_operations;
  mentions named;
  for (std::size_t i = 0; i < asked.groups.size(); ++i) {
    if (!named.admit(asked.groups[i].view())) {
      parts->put(i, refuse_repeated<part>(asked.groups[i]));
      continue;
    }
    const auto told = [parts, i, operations_wanted, version = c.version()](part group) {
      if (version < not_found_from && group.error_code == code_of(protocol::error_code::group_id_not_found)) {
        group.error_code = 0;
        group.error_message = std::nullopt;
      }
      if (operations_wanted && group.error_code == 0) group.authorized_operations = operations::all_of_group;
      parts->put(i, std::move(group));
    };
    node.coordinator.describe_classic(asked.groups[i].str(), told);
  }
}

}  // namespace weir::server::handlers
