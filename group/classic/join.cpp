// JoinGroup.
#include "base/limits.hpp"
#include "group/classic/rebalance.hpp"
#include "group/offsets/delete.hpp"

namespace weir::group {
namespace {

using protocol::error_code;

constexpr std::int16_t member_id_required_from = 4;
constexpr std::int32_t session_timeout_min_ms = 200;
constexpr std::int32_t session_timeout_max_ms = 1'800'000;  // group.max.session.timeout.ms

std::optional<error_code> check_join(const streams_group& group, const protocol::join_group_request& request);
bool is_too_large(const protocol::join_group_request& request);
std::optional<error_code> admit_classic(const classic_members& group, const protocol::join_group_request& request,
                                        const classic_context& context);
bool needs_id(const protocol::join_group_request& request, const classic_context& context);
void refuse_unfit(const streams_group& group, const protocol::join_group_request& request, error_code code,
                  bool strict_kafka, join_outcome& outcome);
classic_member read_member(const protocol::join_group_request& request, const classic_context& context);
bool joins_the_waiting(const classic_members& group, const protocol::join_group_request& request);
void wait_with_others(const protocol::join_group_request& request, const classic_context& context,
                      join_outcome& outcome);
void take_in(classic_members& group, const protocol::join_group_request& request, const classic_context& context,
             join_outcome& outcome);
std::optional<std::string> former_self(const classic_members& group, const protocol::join_group_request& request);
void replace_former(classic_members& group, const std::string& former_id, const std::string& id,
                    classic_member& newcomer, classic_outcome& outcome);

}  // namespace

/// All members are copied only if all are concerned: a large group is asked often while it rebalances.
join_outcome join_classic(const streams_group& group, const protocol::join_group_request& request,
                          const classic_context& context) {
  join_outcome outcome;
  if (const auto code = check_join(group, request)) {
    refuse_unfit(group, request, *code, context.strict_kafka, outcome);
    return outcome;
  }
  const auto& now = group.soft.classic;
  if (const auto code = admit_classic(now, request, context)) {
    outcome.answer = refuse_join(*code, request.member_id);
    return outcome;
  }
  const bool converts = group.kind == group_kind::streams || group.kind == group_kind::consumer;
  if (converts) {
    outcome.records = conversion_records(group, context.now_ms);
    outcome.soft.classic.emplace();
  } else if (!group.classic) {
    outcome.records.push_back(empty_classic_group(context.now_ms));
  }
  if (needs_id(request, context)) {
    outcome.soft.classic_steps.push_back({.id = context.new_member_id,
                                          .member = std::nullopt,
                                          .promised_until_ms = context.now_ms + request.session_timeout_ms});
    outcome.answer = refuse_join(error_code::member_id_required, context.new_member_id);
  } else if (auto again = repeat_join(now, request); again && !converts) {
    outcome.soft.member_id = request.member_id;
    outcome.soft.session_deadline_ms = context.now_ms + now.members.find(request.member_id)->second.session_timeout_ms;
    outcome.answer = std::move(again);
  } else if (!converts && joins_the_waiting(now, request)) {
    wait_with_others(request, context, outcome);
  } else {
    if (!converts) outcome.soft.classic = now;
    take_in(*outcome.soft.classic, request, context, outcome);
  }
  return outcome;
}

namespace {

/// At a 4.4 broker an empty streams group ends with any join that could have been a classic member's (spec 04, R13).
void refuse_unfit(const streams_group& group, const protocol::join_group_request& request, error_code code,
                  bool strict_kafka, join_outcome& outcome) {
  const bool is_foreign = code == error_code::inconsistent_group_protocol && group.kind != group_kind::simple &&
                          group.kind != group_kind::none;
  outcome.answer = refuse_join(code, is_foreign ? std::string_view() : request.member_id.view());
  const bool ends_group = strict_kafka && code == error_code::unknown_member_id && group.kind == group_kind::streams;
  if (ends_group) outcome.records = ending_records(group);
}

std::optional<error_code> check_join(const streams_group& group, const protocol::join_group_request& request) {
  if (request.session_timeout_ms < session_timeout_min_ms || request.session_timeout_ms > session_timeout_max_ms) {
    return error_code::invalid_session_timeout;
  }
  const bool has_others = !group.members.empty() || !group.soft.consumer.members.empty();
  if (has_others) return error_code::inconsistent_group_protocol;
  const bool is_classic = group.kind == group_kind::simple;
  if (!request.member_id.empty() && !is_classic) return error_code::unknown_member_id;
  if (request.protocol_type.empty() || request.protocols.empty()) return error_code::inconsistent_group_protocol;
  if (is_too_large(request)) return error_code::message_too_large;
  return std::nullopt;
}

bool is_too_large(const protocol::join_group_request& request) {
  std::size_t bytes = 0;
  for (const auto& protocol : request.protocols) bytes += protocol.name.size() + protocol.metadata.size();
  return request.protocols.size() > limits::classic_protocols_max || bytes > limits::classic_protocol_bytes_max;
}

/// Who is alone may change its mind, but not to something it never offered before (as the reference does).
bool fits(const classic_members& group, const protocol::join_group_request& request) {
  if (group.members.empty()) return true;
  if (request.protocol_type != group.protocol_type) return false;
  const bool is_alone = group.members.size() == 1 && group.members.contains(request.member_id);
  return has_common_protocol(group, request, is_alone ? std::string_view() : request.member_id.view());
}

std::optional<error_code> admit_classic(const classic_members& group, const protocol::join_group_request& request,
                                        const classic_context& context) {
  const bool is_member = group.members.contains(request.member_id);
  const bool is_promised = group.promised.contains(request.member_id);
  const auto taken = group.members.size() + group.promised.size();
  const bool is_back = request.group_instance_id && group.holder_of(*request.group_instance_id) != nullptr;
  if (!is_member && !is_promised && !is_back && taken >= context.members_max) {
    return error_code::group_max_size_reached;
  }
  if (!fits(group, request)) return error_code::inconsistent_group_protocol;
  if (request.member_id.empty() || (is_promised && !request.group_instance_id)) return std::nullopt;
  const auto identified = identify_classic(group, request.member_id, request.group_instance_id);
  return identified == error_code::none ? std::nullopt : std::optional(identified);
}

bool needs_id(const protocol::join_group_request& request, const classic_context& context) {
  return request.member_id.empty() && !request.group_instance_id && context.version >= member_id_required_from;
}

classic_member read_member(const protocol::join_group_request& request, const classic_context& context) {
  classic_member member;
  if (request.group_instance_id) member.instance_id = request.group_instance_id->str();
  member.client_id = context.client_id;
  member.client_host = context.client_host;
  member.session_timeout_ms = request.session_timeout_ms;
  member.rebalance_timeout_ms =
      request.rebalance_timeout_ms < 0 ? request.session_timeout_ms : request.rebalance_timeout_ms;
  classic_protocols protocols;
  for (const auto& protocol : request.protocols) {
    protocols.emplace_back(protocol.name.str(), protocol.metadata.str());
  }
  member.protocols = std::make_shared<const classic_protocols>(std::move(protocols));
  member.session_deadline_ms = context.now_ms + request.session_timeout_ms;
  return member;
}

std::string id_for(const protocol::join_group_request& request, const classic_context& context) {
  return request.member_id.empty() ? context.new_member_id : request.member_id.str();
}

/// Whether the rebalance goes on as it is, with one member more that has joined.
bool joins_the_waiting(const classic_members& group, const protocol::join_group_request& request) {
  if (group.phase != classic_phase::preparing || former_self(group, request)) return false;
  const auto known = group.members.find(request.member_id);
  const bool is_member = known != group.members.end();
  const auto joining = group.joining + (is_member && known->second.is_joining ? 0 : 1);
  return joining < group.members.size() + (is_member ? 0 : 1);
}

void wait_with_others(const protocol::join_group_request& request, const classic_context& context,
                      join_outcome& outcome) {
  outcome.waits_as = id_for(request, context);
  auto member = read_member(request, context);
  member.is_joining = true;
  outcome.soft.classic_steps.push_back(
      {.id = outcome.waits_as, .member = std::move(member), .promised_until_ms = std::nullopt});
}

/// It waits for the others, unless it goes on where its former self was.
void take_in(classic_members& group, const protocol::join_group_request& request, const classic_context& context,
             join_outcome& outcome) {
  const auto id = id_for(request, context);
  auto newcomer = read_member(request, context);
  const auto former_id = former_self(group, request);
  if (former_id) replace_former(group, *former_id, id, newcomer, outcome);
  group.promised.erase(id);
  group.protocol_type = request.protocol_type.str();
  group.put(id, newcomer);
  if (former_id) outcome.answer = resume_static(group, id, *former_id, context.version);
  if (outcome.answer) return;
  outcome.waits_as = id;
  newcomer.is_joining = true;
  newcomer.owes_sync = false;
  group.put(id, std::move(newcomer));
  start_rebalance(group, outcome, context.now_ms);
  finish_if_all_joined(group, outcome, context.now_ms);
}

/// Id of a static member that comes back without it.
std::optional<std::string> former_self(const classic_members& group, const protocol::join_group_request& request) {
  if (!request.member_id.empty() || !request.group_instance_id) return std::nullopt;
  const auto* const holder = group.holder_of(*request.group_instance_id);
  return holder == nullptr ? std::nullopt : std::optional(*holder);
}

/// The newcomer gets what its former self had. Whoever still waits under the former id is a duplicate, and fenced.
void replace_former(classic_members& group, const std::string& former_id, const std::string& id,
                    classic_member& newcomer, classic_outcome& outcome) {
  const auto& former = group.members.at(former_id);
  newcomer.assignment = former.assignment;
  newcomer.owes_sync = former.owes_sync;
  if (group.leader == former_id) group.leader = id;
  drop_classic_member(group, former_id, outcome, error_code::fenced_instance_id);
}

}  // namespace
}  // namespace weir::group
