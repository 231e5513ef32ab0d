// ConsumerGroupDescribe (69): KIP-848, docs/decisions/017.
#include <vector>

#include "protocol/error_codes.hpp"
#include "protocol/messages/consumer_group_describe_request.hpp"
#include "protocol/messages/consumer_group_describe_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/mentions.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {

void consumer_group_describe::handle(request asked, call c, embedded_node& node) {
  using part = protocol::consumer_group_describe_response::described_group_data;
  const auto parts = gather<part>::of(asked.group_ids.size(), [c](std::vector<part> groups) {
    protocol::consumer_group_describe_response out;
    out.groups = std::move(groups);
    c.answer(out);
  });
  const bool operations_wanted = asked.include_authorized_operations;
  mentions named;
  for (std::size_t i = 0; i < asked.group_ids.size(); ++i) {
    const auto& id = asked.group_ids[i];
    if (!named.admit(id.view())) {
      parts->put(i, refuse_repeated<part>(id));
      continue;
    }
    if (id.empty()) {
      part nameless;
      nameless.error_code = code_of(protocol::error_code::invalid_group_id);
      parts->put(i, std::move(nameless));
      continue;
    }
    node.coordinator.describe_consumers(id.str(), [parts, i, operations_wanted](part group) {
      if (operations_wanted && group.error_code == 0) group.authorized_operations = operations::all_of_group;
      parts->put(i, std::move(group));
    });
  }
}

}  // namespace weir::server::handlers
