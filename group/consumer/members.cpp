#include "group/consumer/members.hpp"

#include <algorithm>

#include "group/topology/patterns.hpp"

namespace weir::group {
namespace {

template <class Partitions>
bool has_partition(const Partitions& all, const uuid& topic_id, std::int32_t partition) noexcept {
  const auto topic = all.find(topic_id);
  return topic != all.end() && topic->second.contains(partition);
}

void count_holdings(consumer_members& group, const partition_epochs& held) {
  for (const auto& [topic_id, partitions] : held) {
    auto& counts = group.holders[topic_id];
    for (const auto& [partition, epoch] : partitions) ++counts[partition];
  }
}

void discount_holdings(consumer_members& group, const partition_epochs& held) {
  for (const auto& [topic_id, partitions] : held) {
    const auto counts = group.holders.find(topic_id);
    for (const auto& [partition, epoch] : partitions) {
      const auto counted = counts->second.find(partition);
      if (--counted->second == 0) counts->second.erase(counted);
    }
    if (counts->second.empty()) group.holders.erase(counts);
  }
}

}  // namespace

bool contains(const partition_set& partitions, const uuid& topic_id, std::int32_t partition) noexcept {
  return has_partition(partitions, topic_id, partition);
}

bool contains(const partition_epochs& partitions, const uuid& topic_id, std::int32_t partition) noexcept {
  return has_partition(partitions, topic_id, partition);
}

std::optional<std::int32_t> consumer_member::got_at(const uuid& topic_id, std::int32_t partition) const noexcept {
  for (const auto* part : {&assigned, &pending_revocation}) {
    if (!contains(*part, topic_id, partition)) continue;
    return part->find(topic_id)->second.find(partition)->second;
  }
  return std::nullopt;
}

const partition_set& consumer_assignment::target_of(std::string_view member_id) const {
  static const partition_set nothing;
  const auto found = targets.find(member_id);
  return found == targets.end() ? nothing : *found->second;
}

std::optional<std::int64_t> consumer_members::next_deadline() const {
  std::optional<std::int64_t> earliest;
  const auto note = [&](std::int64_t deadline) { earliest = std::min(earliest.value_or(deadline), deadline); };
  for (const auto& [id, member] : members) {
    note(member.session_deadline_ms);
    if (member.rebalance_deadline_ms) note(*member.rebalance_deadline_ms);
  }
  return earliest;
}

bool consumer_members::is_held(const uuid& topic_id, std::int32_t partition) const noexcept {
  return has_partition(holders, topic_id, partition);
}

std::set<std::string_view> consumer_members::topics_read() const {
  std::set<std::string_view> topics;
  std::set<const consumer_subscription*> seen;
  for (const auto& [id, member] : members) {
    if (!seen.insert(member.subscription.get()).second) continue;
    topics.insert(member.subscription->topics.begin(), member.subscription->topics.end());
  }
  for (const auto& [pattern, matches] : *matched) {
    const auto& names = matches->names.front();
    topics.insert(names.begin(), names.end());
  }
  return topics;
}

void consumer_members::put(const std::string& id, consumer_member member) {
  erase(id);
  if (member.instance_id) instances.insert_or_assign(*member.instance_id, id);
  count_holdings(*this, member.assigned);
  count_holdings(*this, member.pending_revocation);
  members.emplace(id, std::move(member));
}

void consumer_members::erase(std::string_view id) {
  const auto found = members.find(id);
  if (found == members.end()) return;
  const auto& member = found->second;
  if (member.instance_id) {
    const auto holder = instances.find(*member.instance_id);
    if (holder != instances.end() && holder->second == id) instances.erase(holder);
  }
  discount_holdings(*this, member.assigned);
  discount_holdings(*this, member.pending_revocation);
  members.erase(found);
}

void consumer_members::take(const consumer_changes& changes) {
  if (changes.forgets_all) *this = {};
  for (const auto& step : changes.steps) {
    step.member ? put(step.id, *step.member) : erase(step.id);
  }
  if (changes.assignment) assignment = changes.assignment;
  if (changes.matched) matched = changes.matched;
  if (changes.image_version) image_version = *changes.image_version;
}

}  // namespace weir::group
