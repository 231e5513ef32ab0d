// ListGroups (16): spec 05, 4.8.
#include <algorithm>
#include <string>
#include <vector>

#include "base/java_trim.hpp"
#include "protocol/messages/list_groups_request.hpp"
#include "protocol/messages/list_groups_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using answer = protocol::list_groups_response;

std::string lower(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

/// Both lists in lower case; an empty list lets everything pass.
struct filters {
  std::vector<std::string> states;
  std::vector<std::string> types;

  [[nodiscard]] bool pass(std::string_view state, std::string_view type) const {
    const auto has = [](const std::vector<std::string>& list, std::string_view name) {
      return list.empty() || std::ranges::find(list, name) != list.end();
    };
    return has(states, lower(state)) && has(types, type);
  }
};

/// Clients send "NotReady", which the reference compares with "not_ready" and never finds (spec 05, P2): unless it is
/// to be reproduced, both spellings count.
filters read_filters(const protocol::list_groups_request& asked, bool strict_kafka) {
  filters out;
  for (const auto& state : asked.states_filter) {
    auto wanted = lower(java_trim(state));
    if (strict_kafka && wanted == "notready") wanted = "(never)";
    if (wanted == "not_ready") wanted = "notready";
    out.states.push_back(std::move(wanted));
  }
  for (const auto& type : asked.types_filter) out.types.push_back(lower(type));
  return out;
}

}  // namespace

void list_groups::handle(request asked, call c, embedded_node& node) {
  auto wanted = read_filters(asked, node.coordinator.options().strict_kafka);
  node.coordinator.list([c, wanted = std::move(wanted)](const std::vector<group::group_summary>& groups) {
    answer out;
    for (const auto& group : groups) {
      const auto state = group.state_name;
      const auto type = group::type_name(group.kind);
      if (!wanted.pass(state, type)) continue;
      out.groups.push_back({.group_id = text::view(group.id),
                            .protocol_type = text::view(group.protocol_type),
                            .group_state = text::view(state),
                            .group_type = text::view(type)});
    }
    c.answer(out);
  });
}

}  // namespace weir::server::handlers
