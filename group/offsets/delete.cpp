#include "group/offsets/delete.hpp"

#include <set>

#include "group/classic/subscriptions.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

void take_streams_group(const streams_group& group, records& out);

/// Members of any kind.
class all_readers {
 public:
  all_readers(const streams_group& group, bool strict_kafka)
      : streams_(group, strict_kafka),
        consumed_(group.soft.consumer.topics_read()),
        has_classic_(!group.soft.classic.members.empty()),
        subscribed_(subscribed_topics(group.soft.classic)) {}

  [[nodiscard]] bool read(const std::string& topic) const {
    const bool is_subscribed = has_classic_ && (!subscribed_ || subscribed_->contains(topic));
    return is_subscribed || streams_.reads(topic) || consumed_.contains(topic);
  }

 private:
  live_readers streams_;
  std::set<std::string_view> consumed_;
  bool has_classic_;
  std::optional<std::set<std::string, std::less<>>> subscribed_;
};

/// A stored one, or one that is pending.
bool has_offset(const streams_group& group, const std::string& topic, std::int32_t partition) {
  const auto stored = group.offsets.find(topic);
  const bool is_stored = stored != group.offsets.end() && stored->second.contains(partition);
  return is_stored || group.soft.transactions.is_pending(topic, partition);
}

bool is_of(const committed_offset& offset, const uuid& topic_id) {
  return offset.topic_id.is_zero() || offset.topic_id == topic_id;
}

std::set<std::int32_t> committed_for(const streams_group& group, const std::string& topic, const uuid& topic_id) {
  std::set<std::int32_t> partitions;
  const auto stored = group.offsets.find(topic);
  if (stored == group.offsets.end()) return partitions;
  for (const auto& [partition, offset] : stored->second) {
    if (is_of(offset, topic_id)) partitions.insert(partition);
  }
  return partitions;
}

/// As the tombstones of partitions that are `gone` do, and what is pending for that topic id.
void forget_topic(open_transaction& transaction, const std::string& topic, const uuid& topic_id,
                  const std::set<std::int32_t>& gone) {
  const auto found = transaction.offsets.find(topic);
  if (found == transaction.offsets.end()) return;
  std::erase_if(found->second, [&](const auto& entry) {
    return gone.contains(entry.first) || is_of(entry.second.value, topic_id);
  });
  if (found->second.empty()) transaction.offsets.erase(found);
}

std::size_t offset_count(const streams_group& group) {
  std::size_t count = 0;
  for (const auto& [topic, partitions] : group.offsets) count += partitions.size();
  return count;
}

/// A group that is nothing but offsets would go with the last of them.
void keep_without_offsets(const streams_group& group, records& out) {
  if (group.kind == group_kind::simple && !group.classic) {
    out.insert(out.begin(), classic_group_record{classic_metadata()});
  }
}

}  // namespace

std::optional<refusal> check_deletion(const streams_group& group) {
  if (group.kind == group_kind::none) {
    return refusal{protocol::error_code::group_id_not_found, "Group " + group.id + " not found."};
  }
  if (!has_members(group)) return std::nullopt;
  return refusal{protocol::error_code::non_empty_group, "Group " + group.id + " has members."};
}

records deletion_records(const streams_group& group) {
  auto offsets = group.soft.transactions.pending();
  for (const auto& [topic, partitions] : group.offsets) {
    for (const auto& [partition, offset] : partitions) offsets.emplace(topic, partition);
  }
  records out;
  for (const auto& [topic, partition] : offsets) {
    out.push_back(offset_record{.topic = topic, .partition = partition, .value = {}});
  }
  if (group.classic) out.push_back(classic_group_record{});
  if (group.consumer) out.push_back(consumer_group_record{});
  if (group.kind == group_kind::streams) take_streams_group(group, out);
  return out;
}

records ending_records(const streams_group& group) {
  records out;
  take_streams_group(group, out);
  return out;
}

records conversion_records(const streams_group& group, std::int64_t now_ms) {
  auto out = group.kind == group_kind::consumer ? records{consumer_group_record{}} : ending_records(group);
  out.push_back(empty_classic_group(now_ms));
  return out;
}

change_outcome topic_deletion(const streams_group& group, const deleted_topics& topics) {
  change_outcome out;
  std::map<std::int64_t, open_transaction> touched;
  for (const auto& [topic, topic_id] : topics) {
    const auto gone = committed_for(group, topic, topic_id);
    for (const auto partition : gone) {
      out.records.push_back(offset_record{.topic = topic, .partition = partition, .value = {}});
    }
    for (const auto& [producer_id, transaction] : group.soft.transactions.by_producer) {
      if (!transaction.offsets.contains(topic)) continue;
      forget_topic(touched.try_emplace(producer_id, transaction).first->second, topic, topic_id, gone);
    }
  }
  if (!out.records.empty() && out.records.size() == offset_count(group)) keep_without_offsets(group, out.records);
  if (touched.empty()) return out;
  auto& changes = out.soft.emplace_back().transactions;
  for (auto& [producer_id, left] : touched) changes.push_back({.producer_id = producer_id, .now = std::move(left)});
  return out;
}

offset_deletion delete_offsets(const streams_group& group, const std::vector<offset_name>& wanted,
                               bool strict_kafka) {
  using protocol::error_code;
  offset_deletion out;
  const auto& classic = group.soft.classic;
  if (group.kind == group_kind::none) out.error = error_code::group_id_not_found;
  if (!classic.members.empty() && classic.protocol_type != "consumer") out.error = error_code::non_empty_group;
  if (out.error != error_code::none) return out;
  const all_readers readers(group, strict_kafka);
  keep_without_offsets(group, out.records);
  for (const auto& [topic, partition] : wanted) {
    const bool is_read = readers.read(topic);
    out.verdicts.push_back(is_read ? error_code::group_subscribed_to_topic : error_code::none);
    if (!is_read && has_offset(group, topic, partition)) {
      out.records.push_back(offset_record{.topic = topic, .partition = partition, .value = {}});
    }
  }
  return out;
}

namespace {

void take_streams_group(const streams_group& group, records& out) {
  for (const auto& [id, member] : group.members) out.push_back(current_assignment_record{.member_id = id, .value = {}});
  for (const auto& [id, target] : group.targets) out.push_back(target_member_record{.member_id = id, .value = {}});
  out.push_back(target_metadata_record{});
  for (const auto& [id, member] : group.members) out.push_back(member_metadata_record{.member_id = id, .value = {}});
  out.push_back(group_metadata_record{});
  out.push_back(topology_record{});
  if (group.description) out.push_back(topology_description_record{});
}

}  // namespace
}  // namespace weir::group
