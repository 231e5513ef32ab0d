// The node's part of group_apis.hpp: requests on their way to their groups.
#include <utility>

#include "actors/node.hpp"
#include "group/classic/classic_group.hpp"
#include "group/classic/rebalance.hpp"

namespace weir::actors {

namespace {

using protocol::error_code;
using described_classic = protocol::describe_groups_response::described_group_data;
using described_consumers = protocol::consumer_group_describe_response::described_group_data;

protocol::kafka_result<void> refuse_description(error_code code) {
  return protocol::refuse(code, "The description was not stored, try again.");
}

offset_deletion_answer refuse_deletion(error_code code) { return {code, {}}; }

protocol::leave_group_response refuse_leave(error_code code) {
  protocol::leave_group_response answer;
  answer.error_code = protocol::code_of(code);
  return answer;
}

/// Of a group that cannot be asked only the id and the error are described.
template <class Described>
std::shared_ptr<pending_reply<Described>> described_later(const std::string& group_id, reply<Described> done) {
  return std::make_shared<pending_reply<Described>>(std::move(done), [group_id](error_code code) {
    Described answer;
    answer.group_id = text(group_id);
    answer.error_code = protocol::code_of(code);
    return answer;
  });
}

group::streams_group nobody(const std::string& group_id) {
  group::streams_group none;
  none.id = group_id;
  return none;
}

}  // namespace

void node::delete_offsets(offset_deletion_request request, reply<offset_deletion_answer> done) {
  const delete_offsets_message message{
      std::make_shared<const offset_deletion_request>(std::move(request)),
      std::make_shared<pending_reply<offset_deletion_answer>>(std::move(done), refuse_deletion)};
  const auto& group_id = message.deletion->group_id;
  if (too_long(group_id)) return message.request->reject(error_code::group_id_not_found);
  groups_.tell(group_id, message);
}

void node::end_transaction(transaction_end end, reply<error_code> done) {
  const end_transaction_message message{std::move(end),
                                        std::make_shared<pending_reply<error_code>>(std::move(done), same_code)};
  if (!too_long(message.end.group_id) && groups_.tell_existing(message.end.group_id, message)) return;
  const bool is_lost = message.end.commit && message.end.has_offsets;
  message.request->answer(is_lost ? error_code::invalid_txn_state : error_code::none);
}

void node::update_description(framed<protocol::streams_group_topology_description_update_request> request,
                              reply<protocol::kafka_result<void>> done) {
  if (!services_.options.keeps_descriptions) {
    return done(protocol::refuse(error_code::unsupported_version, "Topology descriptions are not kept here."));
  }
  const description_message message{std::move(request), std::make_shared<pending_reply<protocol::kafka_result<void>>>(
                                                            std::move(done), refuse_description)};
  const auto group_id = message.update->group_id.str();
  if (too_long(group_id)) return message.request->reject(error_code::group_id_not_found);
  groups_.tell(group_id, message);
}

void node::join_classic(framed<protocol::join_group_request> request, group::classic_context context,
                        reply<protocol::join_group_response> done) {
  const auto refuse = [member_id = request->member_id.str()](error_code code) {
    return group::refuse_join(code, member_id);
  };
  const auto group_id = request->group_id.str();
  const join_message message{std::move(request), std::make_shared<const group::classic_context>(std::move(context)),
                             std::make_shared<pending_reply<protocol::join_group_response>>(std::move(done), refuse)};
  if (too_long(group_id)) return message.request->reject(error_code::invalid_group_id);
  groups_.tell(group_id, message);
}

void node::sync_classic(framed<protocol::sync_group_request> request, reply<protocol::sync_group_response> done) {
  const auto group_id = request->group_id.str();
  const sync_message message{std::move(request), std::make_shared<pending_reply<protocol::sync_group_response>>(
                                                     std::move(done), group::refuse_sync)};
  if (too_long(group_id)) return message.request->reject(error_code::unknown_member_id);
  groups_.tell(group_id, message);
}

void node::beat_classic(framed<protocol::heartbeat_request> request, reply<error_code> done) {
  const auto group_id = request->group_id.str();
  const beat_message message{std::move(request),
                             std::make_shared<pending_reply<error_code>>(std::move(done), same_code)};
  if (too_long(group_id)) return message.request->reject(error_code::unknown_member_id);
  groups_.tell(group_id, message);
}

void node::leave_classic(framed<protocol::leave_group_request> request, std::int16_t version,
                         reply<protocol::leave_group_response> done) {
  const auto group_id = request->group_id.str();
  const leave_message message{
      std::move(request), version,
      std::make_shared<pending_reply<protocol::leave_group_response>>(std::move(done), refuse_leave)};
  if (too_long(group_id)) return message.request->reject(error_code::invalid_group_id);
  groups_.tell(group_id, message);
}

void node::describe_classic(std::string group_id, reply<described_classic> done) {
  const describe_classic_message message{described_later(group_id, std::move(done))};
  if (!too_long(group_id) && groups_.tell_existing(group_id, message)) return;
  message.request->answer(group::describe_classic(nobody(group_id)));
}

void node::heartbeat_consumer(framed<protocol::consumer_group_heartbeat_request> request,
                              group::consumer_caller caller, reply<protocol::consumer_group_heartbeat_response> done) {
  const auto refuse = [](error_code code) { return group::refuse_consumer(code, {}); };
  const auto group_id = request->group_id.str();
  const consumer_message message{
      std::move(request), std::make_shared<const group::consumer_caller>(std::move(caller)),
      std::make_shared<pending_reply<protocol::consumer_group_heartbeat_response>>(std::move(done), refuse)};
  if (too_long(group_id)) return message.request->reject(error_code::invalid_group_id);
  groups_.tell(group_id, message);
}

void node::describe_consumers(std::string group_id, reply<described_consumers> done) {
  const describe_consumers_message message{described_later(group_id, std::move(done))};
  if (!too_long(group_id) && groups_.tell_existing(group_id, message)) return;
  message.request->answer(group::describe_consumers(nobody(group_id), metadata::image()));
}

}  // namespace weir::actors
