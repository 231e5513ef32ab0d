#include "group/heartbeat/merge_member.hpp"

namespace weir::group {
namespace {

using tag_map = std::map<std::string, std::string>;

bool differs(const call& c, const member_metadata& before, const std::optional<tag_map>& sent);
bool endpoint_differs(const call& c, const std::optional<endpoint>& before);
member_metadata merge(const call& c, member_metadata into, const std::optional<tag_map>& sent);
bool matters_for_static(const member_metadata& before, const member_metadata& after);
bool matters_for_dynamic(const member_metadata& before, const member_metadata& after);

}  // namespace

checked<member_change> merge_member(const call& c, const member& before) {
  std::optional<tag_map> sent;
  if (c.request.client_tags) {
    auto read = tags_in(c, *c.request.client_tags);
    if (!read) return tl::unexpected(read.error());
    sent = std::move(*read);
  }
  member_change change;
  if (!differs(c, before.metadata, sent)) return change;
  change.merged = merge(c, before.metadata, sent);
  change.endpoint_changed = change.merged->user_endpoint != before.metadata.user_endpoint;
  change.needs_epoch = c.request.instance_id
                           ? matters_for_static(before.metadata, *change.merged)
                           : c.world.strict_kafka || matters_for_dynamic(before.metadata, *change.merged);
  return change;
}

namespace {

bool differs_if_sent(const std::optional<text>& sent, const std::optional<std::string>& before) {
  return sent && (!before || *sent != *before);
}

/// Compares without copying: the answer is no for almost every heartbeat there is.
bool differs(const call& c, const member_metadata& before, const std::optional<tag_map>& sent) {
  const auto& request = c.request;
  return differs_if_sent(request.instance_id, before.instance_id) || differs_if_sent(request.rack_id, before.rack_id) ||
         c.context.client_id != before.client_id || c.context.client_host != before.client_host ||
         (request.rebalance_timeout_ms != -1 && request.rebalance_timeout_ms != before.rebalance_timeout_ms) ||
         (request.topology && request.topology->epoch != before.topology_epoch) ||
         (request.process_id && *request.process_id != before.process_id) ||
         endpoint_differs(c, before.user_endpoint) || (sent && *sent != before.client_tags);
}

bool endpoint_differs(const call& c, const std::optional<endpoint>& before) {
  const auto& sent = c.request.user_endpoint;
  if (!sent) return c.is_join() && before.has_value();  // a join without endpoint clears it
  return !before || sent->host != before->host || sent->port != before->port;
}

member_metadata merge(const call& c, member_metadata into, const std::optional<tag_map>& sent) {
  const auto& request = c.request;
  if (request.instance_id) into.instance_id = request.instance_id->str();
  if (request.rack_id) into.rack_id = request.rack_id->str();
  into.client_id = c.context.client_id.str();
  into.client_host = c.context.client_host.str();
  if (request.rebalance_timeout_ms != -1) into.rebalance_timeout_ms = request.rebalance_timeout_ms;
  if (request.topology) into.topology_epoch = request.topology->epoch;
  if (request.process_id) into.process_id = request.process_id->str();
  if (request.user_endpoint) {
    into.user_endpoint = endpoint{.host = request.user_endpoint->host.str(), .port = request.user_endpoint->port};
  } else if (c.is_join()) {
    into.user_endpoint.reset();
  }
  if (sent) into.client_tags = *sent;
  return into;
}

/// B2: the only fields of a static member that move the epoch.
bool matters_for_static(const member_metadata& before, const member_metadata& after) {
  return before.topology_epoch != after.topology_epoch || before.rack_id != after.rack_id ||
         before.client_tags != after.client_tags || before.process_id != after.process_id;
}

/// B1, but for what no assignment depends on: Kafka rebalances for a new endpoint or rebalance timeout, too.
bool matters_for_dynamic(const member_metadata& before, const member_metadata& after) {
  auto rest = after;
  rest.user_endpoint = before.user_endpoint;
  rest.rebalance_timeout_ms = before.rebalance_timeout_ms;
  return rest != before;
}

std::string shown(const std::optional<std::string>& value) { return value.value_or("none"); }
std::string shown(const std::string& value) { return value.empty() ? "none" : value; }
std::string shown(std::int32_t value) { return std::to_string(value); }
std::string shown(const std::optional<endpoint>& value) {
  return value ? value->host + ":" + std::to_string(value->port) : "none";
}
std::string shown(const tag_map& value) {
  std::string words;
  for (const auto& [key, tag] : value) words += (words.empty() ? "" : ",") + key + "=" + tag;
  return words.empty() ? "none" : words;
}

}  // namespace

std::vector<field_change> differences(const member_metadata& before, const member_metadata& after) {
  std::vector<field_change> changes;
  const auto compare = [&](std::string_view what, const auto& from, const auto& to) {
    if (from != to) changes.push_back({std::string(what), shown(from), shown(to)});
  };
  compare("instance id", before.instance_id, after.instance_id);
  compare("rack", before.rack_id, after.rack_id);
  compare("client id", before.client_id, after.client_id);
  compare("client host", before.client_host, after.client_host);
  compare("rebalance timeout", before.rebalance_timeout_ms, after.rebalance_timeout_ms);
  compare("topology epoch", before.topology_epoch, after.topology_epoch);
  compare("process", before.process_id, after.process_id);
  compare("endpoint", before.user_endpoint, after.user_endpoint);
  compare("tags", before.client_tags, after.client_tags);
  return changes;
}

}  // namespace weir::group
