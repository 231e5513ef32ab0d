// The requests of members of a consumer group: what is decided in group/consumer is carried out here.
#include <utility>

#include "actors/group_shell.hpp"
#include "group/consumer/consumer_group.hpp"

namespace weir::actors {

group::consumer_world group_shell::consumer_world() {
  refresh_image();
  return {.image = *image_, .hashes = services_.hashes, .options = services_.options.consumer, .now_ms = now()};
}

/// Members that join or go without a record change what the group means to others, too.
void group_shell::carry_out_consumers(group::consumer_outcome outcome) {
  const bool has_changed = outcome.soft.consumer != nullptr;
  if (!outcome.records.empty()) write(std::move(outcome.records));
  if (has_changed) row_changed();
  group::apply(group_, outcome.soft);
  arm_for(outcome.soft);
  if (has_changed) follow_state();
}

/// A member that is refused for now lives.
void group_shell::heard_of_consumer(text member_id) {
  if (!group_.soft.consumer.members.contains(member_id.view())) return;
  group::soft_update alive;
  alive.member_id = member_id;
  alive.session_deadline_ms = now() + services_.options.consumer.session_timeout_ms;
  group::apply(group_, alive);
}

void group_shell::heartbeat_consumer(const consumer_message& message) {
  if (!admit(*message.request)) return;
  auto asked = consumer_world();
  if (!try_consumer_patterns(*message.beat, asked)) {
    heard_of_consumer(message.beat->member_id);
    return message.request->reject(protocol::error_code::coordinator_load_in_progress);
  }
  auto outcome = group::heartbeat_consumer(group_, *message.beat, *message.caller, asked);
  if (!has_room(outcome.records, *message.request)) return heard_of_consumer(message.beat->member_id);
  auto answer = std::move(outcome.answer);
  carry_out_consumers(std::move(outcome));
  answer_later(message.request, std::move(answer));
}

void group_shell::describe_consumers(const describe_consumers_message& message) {
  if (!admit(*message.request)) return;
  answer_later(message.request, group::describe_consumers(group_, consumer_world().image));
}

}  // namespace weir::actors
