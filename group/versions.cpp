#include "group/versions.hpp"

#include <algorithm>
#include <set>

namespace weir::group {
namespace {

const subtopology* part_named(const topology& of, std::string_view id) {
  const auto found = std::ranges::find(of.subtopologies, id, &subtopology::id);
  return found == of.subtopologies.end() ? nullptr : &*found;
}

/// What only one task may work on: its sources and its changelogs.
std::set<std::string_view> topics_of(const subtopology& part) {
  std::set<std::string_view> names(part.source_topics.begin(), part.source_topics.end());
  for (const auto& info : part.repartition_source_topics) names.insert(info.name);
  for (const auto& info : part.state_changelog_topics) names.insert(info.name);
  return names;
}

/// Of tasks with the same number. What is not known counts as shared; so does what a pattern may match.
bool may_share(const topology* a, std::string_view a_id, const topology& b, std::string_view b_id) {
  if (a == nullptr) return true;
  const auto* one = part_named(*a, a_id);
  const auto* other = part_named(b, b_id);
  if (one == nullptr || other == nullptr) return true;
  if (!one->source_topic_regex.empty() || !other->source_topic_regex.empty()) return true;
  const auto topics = topics_of(*one);
  return std::ranges::any_of(topics_of(*other), [&](std::string_view name) { return topics.contains(name); });
}

/// Null: it is not remembered.
const former_version* find_former(const streams_group& group, std::int32_t epoch) {
  const auto found = group.soft.former_topologies.find(epoch);
  return found == group.soft.former_topologies.end() ? nullptr : &found->second;
}

}  // namespace

std::shared_ptr<const pattern_matches> matches_of_version(const streams_group& group, std::int32_t epoch) {
  if (group.topology && group.topology->epoch == epoch) return group.soft.matches;
  const auto* const former = find_former(group, epoch);
  return former == nullptr ? nullptr : former->matches;
}

const topology* version_of(const streams_group& group, std::int32_t epoch) {
  if (group.topology && group.topology->epoch == epoch) return &*group.topology;
  const auto* const former = find_former(group, epoch);
  return former == nullptr ? nullptr : former->topology.get();
}

std::map<std::int32_t, std::size_t> count_versions(const std::map<std::string, member, std::less<>>& members) {
  std::map<std::int32_t, std::size_t> versions;
  for (const auto& [id, member] : members) ++versions[member.metadata.topology_epoch];
  return versions;
}

std::size_t count_of_version(const streams_group& group, std::int32_t epoch) noexcept {
  const auto found = group.members_by_topology.find(epoch);
  return found == group.members_by_topology.end() ? 0 : found->second;
}

bool is_only_version(const streams_group& group, std::int32_t epoch) noexcept {
  return count_of_version(group, epoch) == group.members.size();
}

bool is_newest_run(const streams_group& group) noexcept {
  if (!group.topology || group.members.empty()) return true;
  return std::ranges::any_of(group.members, [&](const auto& entry) { return !is_stale(group, entry.second.metadata); });
}

bool is_stale(const streams_group& group, const member_metadata& member) noexcept {
  return group.topology && member.topology_epoch < group.topology->epoch;
}

foreign_claims::foreign_claims(const streams_group& group, const topology& own, std::string_view member_id,
                               const std::string* replaced_id)
    : own_(own) {
  for (const auto& [id, other] : group.members) {
    if (other.metadata.topology_epoch == own.epoch || id == member_id) continue;
    if (replaced_id != nullptr && id == *replaced_id) continue;
    const auto* version = version_of(group, other.metadata.topology_epoch);
    add(id, version, other.current.assigned.active);
    add(id, version, other.current.pending_revocation.active);
  }
}

void foreign_claims::add(const std::string& member_id, const topology* version, const task_epochs& tasks) {
  for (const auto& [subtopology, partitions] : tasks) {
    for (const auto& [partition, epoch] : partitions) claims_[partition].push_back({&member_id, version, subtopology});
  }
}

const std::string* foreign_claims::holder(std::string_view subtopology, std::int32_t partition) const {
  const auto claims = claims_.find(partition);
  if (claims == claims_.end()) return nullptr;
  const auto found = std::ranges::find_if(
      claims->second, [&](const claim& c) { return may_share(c.version, c.subtopology, own_, subtopology); });
  return found == claims->second.end() ? nullptr : found->member_id;
}

live_readers::live_readers(const streams_group& group, bool strict_kafka) {
  if (group.members.empty()) return;
  if (group.topology) versions_.emplace_back(*group.topology, group.soft.matches.get());
  if (strict_kafka) return;
  for (const auto& [epoch, members] : group.members_by_topology) {
    if (members == 0 || (group.topology && epoch == group.topology->epoch)) continue;
    const auto* const former = find_former(group, epoch);
    if (former == nullptr) {
      has_unknown_ = true;
    } else {
      versions_.emplace_back(*former->topology, former->matches.get());
    }
  }
}

bool live_readers::reads(std::string_view topic) const {
  return has_unknown_ || std::ranges::any_of(versions_, [&](const topic_readers& version) {
    return !version.knows_all() || version.find(topic).has_value();
  });
}

}  // namespace weir::group
