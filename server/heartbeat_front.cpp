#include "server/heartbeat_front.hpp"

#include <optional>
#include <string>
#include <utility>

#include "group/heartbeat/heartbeat.hpp"
#include "storage/record_log.hpp"

namespace weir::server {
namespace {

using protocol::error_code;

std::optional<group::refusal> check_lengths(const protocol::streams_group_heartbeat_request& request) {
  const auto too_long = [](std::string_view id) { return id.size() > storage::id_bytes_max; };
  const bool instance = request.instance_id && too_long(*request.instance_id);
  if (!too_long(request.group_id) && !too_long(request.member_id) && !instance) return std::nullopt;
  return group::refusal{error_code::invalid_request,
                        "GroupId, MemberId and InstanceId must not be longer than " +
                            std::to_string(storage::id_bytes_max) + " bytes"};
}

}  // namespace

void pass_heartbeat(actors::coordinator& coordinator, protocol::streams_group_heartbeat_request request, call c) {
  auto refusal = group::check_request(request);
  if (!refusal) refusal = check_lengths(request);
  if (refusal) return c.answer(group::refused(refusal->code, refusal->message));
  actors::heartbeat_call to_group;
  to_group.context = {.version = c.version(),
                      .client_id = c.in.header.client_id.value_or(text()),
                      .client_host = text::view(c.in.connection->info().client_host)};
  to_group.frame = std::move(c.in.frame);
  to_group.request = std::move(request);
  to_group.correlation_id = c.in.header.correlation_id;
  to_group.sink = std::move(c.in.connection);
  to_group.slot = c.in.slot;
  coordinator.heartbeat(std::move(to_group));
}

}  // namespace weir::server
