#include "group/offsets/transactions.hpp"

#include <algorithm>

namespace weir::group {
namespace {

void overtake(open_transactions& all, const std::string& topic, std::int32_t partition, std::uint64_t order) {
  for (auto& [producer_id, transaction] : all.by_producer) {
    auto found = transaction.offsets.find(topic);
    if (found == transaction.offsets.end()) continue;
    auto pending = found->second.find(partition);
    if (pending != found->second.end() && pending->second.order < order) pending->second.superseded = true;
  }
}

}  // namespace

bool open_transactions::is_pending(std::string_view topic, std::int32_t partition) const {
  return std::ranges::any_of(by_producer, [&](const auto& entry) {
    const auto found = entry.second.offsets.find(topic);
    return found != entry.second.offsets.end() && found->second.contains(partition);
  });
}

void open_transactions::supersede(std::string_view topic, std::int32_t partition) {
  for (auto& [producer_id, transaction] : by_producer) {
    auto found = transaction.offsets.find(topic);
    if (found == transaction.offsets.end()) continue;
    if (auto pending = found->second.find(partition); pending != found->second.end()) pending->second.superseded = true;
  }
}

void open_transactions::forget(std::string_view topic, std::int32_t partition) {
  for (auto entry = by_producer.begin(); entry != by_producer.end();) {
    auto& offsets = entry->second.offsets;
    if (auto found = offsets.find(topic); found != offsets.end()) {
      found->second.erase(partition);
      if (found->second.empty()) offsets.erase(found);
    }
    entry = offsets.empty() ? by_producer.erase(entry) : std::next(entry);
  }
}

std::optional<std::int64_t> open_transactions::next_deadline() const {
  std::optional<std::int64_t> earliest;
  for (const auto& [producer_id, transaction] : by_producer) {
    if (!earliest || transaction.deadline_ms < *earliest) earliest = transaction.deadline_ms;
  }
  return earliest;
}

change_outcome hold_back(const streams_group& group, const producer& by, std::vector<offset_entry> offsets) {
  auto all = group.soft.transactions;
  auto& transaction = all.by_producer[by.id];
  if (transaction.producer_epoch != by.epoch) transaction.offsets.clear();  // what an older one left is aborted
  transaction.producer_epoch = by.epoch;
  transaction.deadline_ms = by.deadline_ms;
  for (auto& entry : offsets) {
    transaction.offsets[std::move(entry.topic)][entry.partition] = {
        .value = std::move(entry.value), .order = ++all.last_order, .superseded = false};
  }
  change_outcome outcome;
  if (group.kind == group_kind::none) outcome.records.push_back(classic_group_record{classic_metadata()});
  outcome.soft.emplace_back().transactions = std::move(all);
  return outcome;
}

change_outcome end_transaction(const streams_group& group, std::int64_t producer_id, std::int16_t producer_epoch,
                               bool commit) {
  change_outcome outcome;
  const auto found = group.soft.transactions.by_producer.find(producer_id);
  if (found == group.soft.transactions.by_producer.end() || found->second.producer_epoch > producer_epoch) {
    return outcome;
  }
  auto rest = group.soft.transactions;
  rest.by_producer.erase(producer_id);
  if (commit && found->second.producer_epoch == producer_epoch) {
    for (const auto& [topic, partitions] : found->second.offsets) {
      for (const auto& [partition, pending] : partitions) {
        if (pending.superseded) continue;
        outcome.records.push_back(offset_record{.topic = topic, .partition = partition, .value = pending.value});
        overtake(rest, topic, partition, pending.order);
      }
    }
  }
  outcome.soft.emplace_back().transactions = std::move(rest);
  return outcome;
}

change_outcome expire_transactions(const streams_group& group, std::int64_t now_ms) {
  change_outcome outcome;
  const auto due = group.soft.transactions.next_deadline();
  if (!due || *due > now_ms) return outcome;
  auto rest = group.soft.transactions;
  const auto is_over = [&](const auto& entry) { return entry.second.deadline_ms <= now_ms; };
  std::erase_if(rest.by_producer, is_over);
  outcome.soft.emplace_back().transactions = std::move(rest);
  return outcome;
}

}  // namespace weir::group
