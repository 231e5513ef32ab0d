// The requests of classic members: what is decided in group/classic is carried out here, and requests that wait for
// other members are kept.
#include <utility>

#include "actors/group_shell.hpp"
#include "group/classic/classic_group.hpp"

namespace weir::actors {

namespace {

/// A client that asks again has given up its former request.
template <class Requests, class Request>
void keep_waiting(Requests& requests, std::string member_id, Request request) {
  auto& place = requests[std::move(member_id)];
  if (place) place->reject(protocol::error_code::rebalance_in_progress);
  place = std::move(request);
}

template <class Requests>
auto take_waiting(Requests& requests, const std::string& member_id) {
  const auto node = requests.extract(member_id);
  return node ? node.mapped() : nullptr;
}

}  // namespace

/// Answers leave when what they depend on is durable.
void group_shell::carry_out_classic(group::classic_outcome outcome) {
  if (!outcome.records.empty()) write(std::move(outcome.records));
  if (outcome.soft.classic || !outcome.soft.classic_steps.empty()) row_changed();
  group::apply(group_, outcome.soft);
  arm_for(outcome.soft);
  for (auto& [member_id, answer] : outcome.joined) {
    const auto request = take_waiting(joining_, member_id);
    if (request) answer_later(request, std::move(answer));
  }
  for (auto& [member_id, answer] : outcome.synced) {
    const auto request = take_waiting(syncing_, member_id);
    if (request) answer_later(request, std::move(answer));
  }
  follow_state();  // the last member may have gone
}

void group_shell::let_go(protocol::error_code code) {
  for (const auto& [member_id, request] : std::exchange(joining_, {})) request->reject(code);
  for (const auto& [member_id, request] : std::exchange(syncing_, {})) request->reject(code);
}

/// The group is rebuilt: as after a restart, its members have to join again.
void group_shell::forget_unstored_members() {
  let_go(protocol::error_code::coordinator_not_available);
  group::soft_update update;
  update.classic = group::classic_members();
  auto consumers = std::make_shared<group::consumer_changes>();
  consumers->forgets_all = true;
  update.consumer = std::move(consumers);
  group::apply(group_, update);
}

void group_shell::join_classic(const join_message& message) {
  if (!admit(*message.request)) return;
  auto context = *message.context;
  context.now_ms = now();
  context.strict_kafka = services_.options.strict_kafka;
  auto outcome = group::join_classic(group_, *message.join, context);
  if (!has_room(outcome.records, *message.request)) return;
  auto answer = std::move(outcome.answer);
  if (!answer) keep_waiting(joining_, std::move(outcome.waits_as), message.request);
  // Kafka writes nothing in this case alone, so its readers do not hear of it.
  const bool ends_unheard = services_.options.strict_kafka && group_.kind == group::group_kind::streams && answer &&
                            answer->error_code == code_of(protocol::error_code::unknown_member_id) &&
                            !outcome.records.empty();
  auto before = ends_unheard ? std::unique_ptr<former_group>(new former_group{group_, 0}) : nullptr;
  carry_out_classic(std::move(outcome));
  if (before) {
    before->writes = services_.writes;
    former_ = std::move(before);
    arm(now() + former_look_ms);
  }
  if (answer) answer_later(message.request, *std::move(answer));
  if (services_.is_letting_go) let_go(protocol::error_code::not_coordinator);
}

void group_shell::sync_classic(const sync_message& message) {
  if (!admit(*message.request)) return;
  auto outcome = group::sync_classic(group_, *message.sync, now());
  auto answer = std::move(outcome.answer);
  if (!answer) keep_waiting(syncing_, std::move(outcome.waits_as), message.request);
  carry_out_classic(std::move(outcome));
  if (answer) answer_later(message.request, *std::move(answer));
  if (services_.is_letting_go) let_go(protocol::error_code::not_coordinator);
}

void group_shell::beat_classic(const beat_message& message) {
  if (!admit(*message.request)) return;
  auto outcome = group::beat_classic(group_, *message.beat, now());
  const auto answer = outcome.answer;
  carry_out_classic(std::move(outcome));
  answer_later(message.request, answer);
}

void group_shell::leave_classic(const leave_message& message) {
  if (!admit(*message.request)) return;
  auto outcome = group::leave_classic(group_, *message.leave, message.version, now());
  if (!has_room(outcome.records, *message.request)) return;
  auto answer = std::move(outcome.answer);
  carry_out_classic(std::move(outcome));
  answer_later(message.request, std::move(answer));
}

void group_shell::describe_classic(const describe_classic_message& message) {
  if (!admit(*message.request)) return;
  answer_later(message.request, group::describe_classic(for_readers()));
}

}  // namespace weir::actors
