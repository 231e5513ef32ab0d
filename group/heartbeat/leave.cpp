#include "group/heartbeat/leave.hpp"

#include "group/heartbeat/answer.hpp"
#include "group/heartbeat/fence.hpp"

namespace weir::group {
namespace {

bool asks_for_shutdown(const call& c, bool is_member);
current_assignment away(const current_assignment& current);
std::string story(cause why, const member& gone);

}  // namespace

heartbeat_outcome leave(const call& c) {
  heartbeat_outcome outcome;
  auto found = find_member(c.group, c.request);
  if (asks_for_shutdown(c, found.has_value())) outcome.soft.shutdown_requester = c.request.member_id.str();
  if (!found) {
    outcome.answer = refused(found.error().code, found.error().message);
    return outcome;
  }
  outcome.answer = answer_to_leave(c.request);
  outcome.soft.member_id = c.request.member_id;
  if (c.request.member_epoch == -1) {
    auto removal = remove_member(c.group, c.request.member_id, cause::member_left, c.world.now_ms);
    outcome.records = std::move(removal.records);
    outcome.events = std::move(removal.events);
  } else if (auto current = away((*found)->current); current != (*found)->current) {
    outcome.records.push_back(current_assignment_record{.member_id = c.request.member_id.str(), .value = current});
    outcome.soft.heard_ms = c.world.now_ms;
  }
  return outcome;
}

change_outcome remove_member(const streams_group& group, std::string_view member_id, cause why, std::int64_t now_ms) {
  change_outcome outcome;
  auto found = group.members.find(member_id);
  if (found == group.members.end()) return outcome;
  const auto& id = found->first;
  auto metadata = group.metadata;
  ++metadata.epoch;
  const bool is_last = group.members.size() == 1;

  outcome.records = {current_assignment_record{.member_id = id, .value = {}},
                     target_member_record{.member_id = id, .value = {}},
                     member_metadata_record{.member_id = id, .value = {}}, group_metadata_record{.value = metadata}};
  if (is_last) {
    const target_metadata none_computed{.assignment_epoch = metadata.epoch, .assignment_timestamp_ms = 0};
    outcome.records.push_back(target_metadata_record{.value = none_computed});
  }
  outcome.soft.emplace_back();

  auto e = event_about(why, id, found->second.metadata, now_ms);
  e.group_epoch = metadata.epoch;
  e.assignment_epoch = is_last ? metadata.epoch : group.target_info.assignment_epoch;
  e.detail = story(why, found->second);
  outcome.events.push_back(std::move(e));
  return outcome;
}

namespace {

/// Like Kafka, which notes it before it looks for the member: a stranger's wish counts, too. That of the last member
/// is forgotten when it leaves.
bool asks_for_shutdown(const call& c, bool is_member) {
  if (!c.request.shutdown_application || c.group.kind != group_kind::streams) return false;
  return !is_member || c.request.member_epoch != -1 || c.group.members.size() > 1;
}

/// The member of a temporary leave: keeps its tasks, at epochs that no late commit matches (spec 01 appendix B).
current_assignment away(const current_assignment& current) {
  current_assignment next = current;
  next.member_epoch = -2;
  next.pending_revocation = {};
  for (auto& [subtopology, partitions] : next.assigned.active) {
    for (auto& [partition, epoch] : partitions) epoch = 0;
  }
  return next;
}

std::string story(cause why, const member& gone) {
  const auto held = in_words(without_epochs(gone.current.assigned.active));
  switch (why) {
    case cause::member_left: return "left the group; its active tasks: " + held;
    case cause::session_expired: return "no heartbeat within the session timeout; its active tasks: " + held;
    case cause::rebalance_expired:
      return "did not release " + in_words(without_epochs(gone.current.pending_revocation.active)) + " within " +
             std::to_string(gone.metadata.rebalance_timeout_ms) + " ms; its active tasks: " + held;
    default: return "removed by an administrator; its active tasks: " + held;
  }
}

}  // namespace
}  // namespace weir::group
