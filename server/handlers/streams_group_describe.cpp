// StreamsGroupDescribe (89): spec 05, 4.9.
#include <vector>

#include "protocol/error_codes.hpp"
#include "protocol/messages/streams_group_describe_request.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/mentions.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using answer = protocol::streams_group_describe_response;
using described_group = answer::described_group_data;

constexpr std::int8_t description_not_stored = 1;
constexpr std::int8_t description_available = 3;

described_group refuse_empty_id() {
  described_group out;
  out.error_code = code_of(error_code::invalid_group_id);
  return out;
}

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
  const auto parts = gather<described_group>::of(asked.group_ids.size(), [c](std::vector<described_group> groups) {
    answer out;
    out.groups = std::move(groups);
    c.answer(out);
  });
  const bool operations_wanted = asked.include_authorized_operations;
  const bool description_wanted = asked.include_topology_description;
  mentions named;
  for (std::size_t i = 0; i < asked.group_ids.size(); ++i) {
    if (!named.admit(asked.group_ids[i].view())) {
      parts->put(i, refuse_repeated<described_group>(asked.group_ids[i]));
      continue;
    }
    if (asked.group_ids[i].empty()) {
      parts->put(i, refuse_empty_id());
      continue;
    }
    auto told = [parts, i, operations_wanted, description_wanted](described_group group) {
      if (group.error_code == 0) add_what_was_asked(group, operations_wanted, description_wanted);
      parts->put(i, std::move(group));
    };
    node.coordinator.describe(asked.group_ids[i].str(), std::move(told));
  }
}

}  // namespace weir::server::handlers
