// FindCoordinator (10): this node coordinates everything (spec 05, 5).
#include <algorithm>

#include "base/uuid.hpp"
#include "protocol/error_codes.hpp"
#include "protocol/messages/find_coordinator_request.hpp"
#include "protocol/messages/find_coordinator_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;

constexpr std::int16_t batch_from = 4;
constexpr std::int16_t share_keys_from = 6;
constexpr std::int8_t group_key = 0;
constexpr std::int8_t transaction_key = 1;
constexpr std::int8_t share_key = 2;

/// `group:topic-id:partition`; the group may contain colons.
bool is_share_key(std::string_view key) {
  const auto last = key.rfind(':');
  if (last == std::string_view::npos || last == 0) return false;
  const auto middle = key.rfind(':', last - 1);
  if (middle == std::string_view::npos || middle == 0) return false;
  const auto partition = key.substr(last + 1);
  return uuid::parse(key.substr(middle + 1, last - middle - 1)).has_value() && !partition.empty() &&
         std::ranges::all_of(partition, [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// Share groups are not served: a good key finds no coordinator.
error_code check(std::int8_t type, std::string_view key, std::int16_t version) {
  if (type == group_key || type == transaction_key) return error_code::none;
  if (type != share_key || version < share_keys_from || !is_share_key(key)) return error_code::invalid_request;
  return error_code::coordinator_not_available;
}

}  // namespace

void find_coordinator::handle(request asked, call c, embedded_node& node) {
  protocol::find_coordinator_response out;
  if (c.version() < batch_from) {
    const auto code = check(asked.key_type, asked.key, c.version());
    const bool found = code == error_code::none;
    out.error_code = code_of(code);
    out.error_message = found ? text("NONE") : text(protocol::name(code));
    out.node_id = found ? node.options.node_id : -1;
    out.host = found ? text::view(node.host(c)) : text();
    out.port = found ? node.port(c) : -1;
    return c.answer(out);
  }
  for (const auto& key : asked.coordinator_keys) {
    const auto code = check(asked.key_type, key, c.version());
    const bool found = code == error_code::none;
    out.coordinators.push_back({.key = key,
                                .node_id = found ? node.options.node_id : -1,
                                .host = found ? text::view(node.host(c)) : text(),
                                .port = found ? node.port(c) : -1,
                                .error_code = code_of(code),
                                .error_message = text()});
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
