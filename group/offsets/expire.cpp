#include "group/offsets/expire.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "group/offsets/delete.hpp"
#include "group/versions.hpp"

namespace weir::group {
namespace {

bool has_expired(const committed_offset& offset, const retention& rule, std::int64_t not_before_ms,
                 std::int64_t now_ms) {
  if (offset.expire_timestamp_ms >= 0) return now_ms >= offset.expire_timestamp_ms;
  return now_ms - std::max(offset.commit_timestamp_ms, not_before_ms) >= rule.retention_ms;
}

/// Tombstones of what has expired, and how many offsets stay.
std::pair<records, std::size_t> expired_offsets(const streams_group& group, const retention& rule,
                                                std::int64_t not_before_ms, std::int64_t now_ms) {
  const live_readers subscribed(group, rule.strict_kafka);
  const auto consumed = group.soft.consumer.topics_read();
  records out;
  std::size_t kept = 0;
  for (const auto& [topic, partitions] : group.offsets) {
    const bool is_read = subscribed.reads(topic) || consumed.contains(topic);
    for (const auto& [partition, offset] : partitions) {
      if (is_read || !has_expired(offset, rule, not_before_ms, now_ms) ||
          group.soft.transactions.is_pending(topic, partition)) {
        ++kept;
      } else {
        out.push_back(offset_record{.topic = topic, .partition = partition, .value = {}});
      }
    }
  }
  return {std::move(out), kept};
}

/// When a classic group lost its last member; 0 for others, and if that is not known. Its offsets age from then on.
std::int64_t without_members_since_ms(const streams_group& group) {
  const bool had_members = group.kind == group_kind::simple && group.classic && !group.classic->protocol_type.empty();
  return had_members ? std::max<std::int64_t>(group.classic->state_timestamp_ms, 0) : 0;
}

}  // namespace

records clean_up(const streams_group& group, const retention& rule, std::int64_t empty_since_ms, std::int64_t now_ms) {
  // Of a classic group with members we do not know the subscriptions: nothing of it expires.
  if (group.kind == group_kind::none || !group.soft.classic.members.empty()) return {};
  const bool is_empty = !has_members(group);
  auto not_before_ms = rule.from_empty && is_empty ? empty_since_ms : 0;
  if (is_empty) not_before_ms = std::max(not_before_ms, without_members_since_ms(group));
  auto [out, kept] = expired_offsets(group, rule, not_before_ms, now_ms);
  const bool is_awaited = !group.soft.transactions.empty() || !group.soft.classic.promised.empty();
  if (kept == 0 && is_empty && !is_awaited) return deletion_records(group);
  return std::move(out);
}

}  // namespace weir::group
