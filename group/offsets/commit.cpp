#include "group/offsets/commit.hpp"

#include <string>

#include "group/classic/classic_group.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

using protocol::error_code;
using check_outcome = std::optional<refusal>;

check_outcome check_without_members(const streams_group& group, const commit_check& request);
check_outcome check_classic_member(const streams_group& group, const commit_check& request);
check_outcome check_member(const streams_group& group, const member& committer, const commit_check& request);
check_outcome check_consumer(const streams_group& group, const commit_check& request);
check_outcome stale(std::int32_t epoch, const commit_check& request);
bool may_commit(const member& committer, std::string_view subtopology, std::int32_t partition, std::int32_t epoch);

check_outcome unknown_member(const streams_group& group, std::string_view member_id) {
  return refusal{error_code::unknown_member_id,
                 "Member " + std::string(member_id) + " is not a member of group " + group.id + "."};
}

}  // namespace

std::optional<refusal> check_commit(const streams_group& group, const commit_check& request) {
  const bool names_nobody = request.member_id.empty() && !request.instance_id && request.member_epoch == -1;
  if (request.transactional && names_nobody) return std::nullopt;
  if (!group.soft.classic.members.empty()) return check_classic_member(group, request);
  if (!group.soft.consumer.members.empty()) return check_consumer(group, request);
  if (group.members.empty()) return check_without_members(group, request);
  auto found = group.members.find(request.member_id);
  if (found == group.members.end()) return unknown_member(group, request.member_id);
  return check_member(group, found->second, request);
}

void note_commit(streams_group& group, std::string_view member_id, error_code verdict, std::int64_t now_ms) {
  if (group.kind != group_kind::streams) return;
  const bool is_refused = verdict != error_code::none;
  const auto found = group.soft.members.find(member_id);
  if (found == group.soft.members.end()) {
    if (is_refused) ++group.soft.commits_refused_of_strangers;
    return;
  }
  auto& counts = found->second.commits;
  ++(is_refused ? counts.refused : counts.accepted);
  if (!is_refused) return;
  counts.last_refused_ms = now_ms;
  counts.last_error = verdict;
}

std::optional<refusal> check_fetch(const streams_group& group, std::optional<std::string_view> member_id,
                                   std::int32_t member_epoch) {
  const bool has_epochs = group.kind == group_kind::streams || group.kind == group_kind::consumer;
  if (!has_epochs || (!member_id && member_epoch < 0)) return std::nullopt;
  const auto id = member_id.value_or(std::string_view());
  const auto found = group.members.find(id);
  const auto consumer = group.soft.consumer.members.find(id);
  const bool is_streams = found != group.members.end();
  if (!is_streams && consumer == group.soft.consumer.members.end()) return unknown_member(group, id);
  const auto epoch = is_streams ? found->second.current.member_epoch : consumer->second.epoch;
  if (epoch == member_epoch) return std::nullopt;
  return refusal{error_code::stale_member_epoch,
                 "The member is at epoch " + std::to_string(epoch) + ", not " + std::to_string(member_epoch) + "."};
}

namespace {

/// Administrators and simple consumers commit with a negative epoch.
check_outcome check_without_members(const streams_group& group, const commit_check& request) {
  if (request.member_epoch < 0) return std::nullopt;
  if (group.kind != group_kind::none) return unknown_member(group, request.member_id);
  const bool knows_group_errors = request.version >= (request.transactional ? 6 : 9);
  return refusal{knows_group_errors ? error_code::group_id_not_found : error_code::illegal_generation,
                 "Group " + group.id + " not found."};
}

check_outcome check_classic_member(const streams_group& group, const commit_check& request) {
  const auto& classic = group.soft.classic;
  const auto identified = identify_classic(classic, request.member_id, request.instance_id);
  if (identified == error_code::fenced_instance_id) {
    return refusal{identified, "Another member has instance id " + std::string(*request.instance_id) + "."};
  }
  if (identified != error_code::none) return unknown_member(group, request.member_id);
  if (request.member_epoch != classic.generation) {
    return refusal{error_code::illegal_generation, "The group is at generation " + std::to_string(classic.generation) +
                                                       ", not " + std::to_string(request.member_epoch) + "."};
  }
  if (request.transactional || classic.phase != classic_phase::completing) return std::nullopt;
  return refusal{error_code::rebalance_in_progress, "The group waits for its leader to assign."};
}

check_outcome check_version(const commit_check& request) {
  if (request.transactional || request.version >= 9) return std::nullopt;
  return refusal{error_code::unsupported_version, "Members of such a group commit with version 9 or newer."};
}

/// As members of a streams group: a late commit is fine for what the member got at that epoch or before and still has.
check_outcome check_consumer(const streams_group& group, const commit_check& request) {
  const auto found = group.soft.consumer.members.find(request.member_id);
  if (found == group.soft.consumer.members.end()) return unknown_member(group, request.member_id);
  if (auto old = check_version(request)) return old;
  const auto& committer = found->second;
  if (request.member_epoch == committer.epoch) return std::nullopt;
  if (request.member_epoch > committer.epoch || request.image == nullptr) return stale(committer.epoch, request);
  for (const auto& [name, partition] : request.partitions) {
    const auto* const topic = request.image->find(name);
    const auto got = topic == nullptr ? std::nullopt : committer.got_at(topic->id, partition);
    if (!got || request.member_epoch < *got) return stale(committer.epoch, request);
  }
  return std::nullopt;
}

check_outcome check_member(const streams_group& group, const member& committer, const commit_check& request) {
  if (auto old = check_version(request)) return old;
  const auto epoch = committer.current.member_epoch;
  if (request.member_epoch == epoch) return std::nullopt;
  if (request.member_epoch > epoch || !group.topology) return stale(epoch, request);
  // Its tasks mean the topics of its own topology; one that is not known any more vouches for nothing.
  const auto* own = request.strict_kafka ? &*group.topology : version_of(group, committer.metadata.topology_epoch);
  if (own == nullptr) return stale(epoch, request);
  const auto matches = matches_of_version(group, own->epoch);
  const topic_readers readers(*own, matches.get());
  for (const auto& [topic, partition] : request.partitions) {
    const auto reader = readers.find(topic);
    if (!reader || !may_commit(committer, *reader, partition, request.member_epoch)) {
      return stale(epoch, request);
    }
  }
  return std::nullopt;
}

check_outcome stale(std::int32_t epoch, const commit_check& request) {
  const bool knows_epochs = !request.transactional || request.version >= 6;
  return refusal{knows_epochs ? error_code::stale_member_epoch : error_code::illegal_generation,
                 "The member is at epoch " + std::to_string(epoch) + ", not " +
                     std::to_string(request.member_epoch) + "."};
}

/// A late commit is fine for a task the member got at that epoch or before and has not released yet.
bool may_commit(const member& committer, std::string_view subtopology, std::int32_t partition, std::int32_t epoch) {
  for (const auto* tasks : {&committer.current.assigned, &committer.current.pending_revocation}) {
    auto found = tasks->active.find(subtopology);
    if (found == tasks->active.end()) continue;
    auto task = found->second.find(partition);
    if (task != found->second.end()) return epoch >= task->second;
  }
  return false;
}

}  // namespace
}  // namespace weir::group
