// DeleteGroups (42): spec 05, 4.6.
#include <string>
#include <vector>

#include "protocol/error_codes.hpp"
#include "protocol/messages/delete_groups_request.hpp"
#include "protocol/messages/delete_groups_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using part = protocol::delete_groups_response::deletable_group_result_data;

std::optional<text> message_of(error_code code) {
  switch (code) {
    case error_code::none: return std::nullopt;
    case error_code::group_id_not_found: return text("The group does not exist.");
    case error_code::non_empty_group: return text("The group has members.");
    default: return text(protocol::name(code));
  }
}

}  // namespace

void delete_groups::handle(request asked, call c, embedded_node& node) {
  const auto& names = asked.groups_names;
  const auto parts = gather<part>::of(names.size(), [c](std::vector<part> results) {
    protocol::delete_groups_response out;
    out.results = std::move(results);
    c.answer(out);
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    node.coordinator.delete_group(names[i].str(), [parts, i, name = names[i]](error_code code) {
      parts->put(i, {.group_id = name, .error_code = code_of(code), .error_message = message_of(code)});
    });
  }
}

}  // namespace weir::server::handlers
