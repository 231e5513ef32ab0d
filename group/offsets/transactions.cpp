#include "group/offsets/transactions.hpp"

#include <algorithm>

namespace weir::group {

const pending_offset* open_transaction::find(std::string_view topic, std::int32_t partition) const {
  const auto partitions = offsets.find(topic);
  if (partitions == offsets.end()) return nullptr;
  const auto found = partitions->second.find(partition);
  return found == partitions->second.end() ? nullptr : &found->second;
}

pending_offset* open_transaction::find(std::string_view topic, std::int32_t partition) {
  return const_cast<pending_offset*>(std::as_const(*this).find(topic, partition));
}

bool open_transactions::is_pending(std::string_view topic, std::int32_t partition) const {
  return std::ranges::any_of(by_producer,
                             [&](const auto& entry) { return entry.second.find(topic, partition) != nullptr; });
}

std::set<offset_name> open_transactions::pending() const {
  std::set<offset_name> out;
  for (const auto& [producer_id, transaction] : by_producer) {
    for (const auto& [topic, partitions] : transaction.offsets) {
      for (const auto& [partition, offset] : partitions) out.emplace(topic, partition);
    }
  }
  return out;
}

std::vector<std::int64_t> open_transactions::producers_of(std::string_view topic, std::int32_t partition) const {
  std::vector<std::int64_t> out;
  for (const auto& [producer_id, transaction] : by_producer) {
    if (transaction.find(topic, partition) != nullptr) out.push_back(producer_id);
  }
  return out;
}

transaction_change open_transactions::current(std::int64_t producer_id) const {
  transaction_change out{.producer_id = producer_id, .now = {}};
  if (const auto found = by_producer.find(producer_id); found != by_producer.end()) out.now = found->second;
  return out;
}

void open_transactions::take(transaction_change change) {
  if (!change.now) {
    by_producer.erase(change.producer_id);
    return;
  }
  for (const auto& [topic, partitions] : change.now->offsets) {
    for (const auto& [partition, offset] : partitions) last_order = std::max(last_order, offset.order);
  }
  by_producer.insert_or_assign(change.producer_id, *std::move(change.now));
}

void open_transactions::supersede(std::string_view topic, std::int32_t partition) {
  for (auto& [producer_id, transaction] : by_producer) {
    if (auto* const offset = transaction.find(topic, partition)) offset->superseded = true;
  }
}

void open_transactions::forget(std::string_view topic, std::int32_t partition) {
  for (auto& [producer_id, transaction] : by_producer) {
    const auto found = transaction.offsets.find(topic);
    if (found == transaction.offsets.end()) continue;
    found->second.erase(partition);
    if (found->second.empty()) transaction.offsets.erase(found);
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
  auto held = group.soft.transactions.current(by.id);
  auto last_order = group.soft.transactions.last_order;
  auto& transaction = held.now ? *held.now : held.now.emplace();
  if (transaction.producer_epoch != by.epoch) transaction.offsets.clear();  // what an older one left is aborted
  transaction.producer_epoch = by.epoch;
  transaction.deadline_ms = by.deadline_ms;
  for (auto& entry : offsets) {
    transaction.offsets[std::move(entry.topic)][entry.partition] = {
        .value = std::move(entry.value), .order = ++last_order, .superseded = false};
  }
  change_outcome outcome;
  if (group.kind == group_kind::none) outcome.records.push_back(classic_group_record{classic_metadata()});
  outcome.soft.emplace_back().transactions.push_back(std::move(held));
  return outcome;
}

change_outcome end_transaction(const streams_group& group, std::int64_t producer_id, std::int16_t producer_epoch,
                               bool commit) {
  change_outcome outcome;
  const auto& all = group.soft.transactions;
  const auto found = all.by_producer.find(producer_id);
  if (found == all.by_producer.end() || found->second.producer_epoch > producer_epoch) return outcome;
  auto& changes = outcome.soft.emplace_back().transactions;
  changes.push_back({.producer_id = producer_id, .now = {}});
  if (!commit || found->second.producer_epoch != producer_epoch) return outcome;
  std::map<std::int64_t, open_transaction> rivals;
  for (const auto& [topic, partitions] : found->second.offsets) {
    for (const auto& [partition, pending] : partitions) {
      if (pending.superseded) continue;
      outcome.records.push_back(offset_record{.topic = topic, .partition = partition, .value = pending.value});
      for (const auto rival_id : all.producers_of(topic, partition)) {
        if (rival_id == producer_id) continue;
        auto& rival = rivals.try_emplace(rival_id, all.by_producer.at(rival_id)).first->second;
        auto* const other = rival.find(topic, partition);
        if (other->order < pending.order) other->superseded = true;
      }
    }
  }
  // Of these a record supersedes everything; what was committed later than it is to stay.
  for (auto& [rival_id, rival] : rivals) changes.push_back({.producer_id = rival_id, .now = std::move(rival)});
  return outcome;
}

change_outcome expire_transactions(const streams_group& group, std::int64_t now_ms) {
  change_outcome outcome;
  const auto due = group.soft.transactions.next_deadline();
  if (!due || *due > now_ms) return outcome;
  auto& changes = outcome.soft.emplace_back().transactions;
  for (const auto& [producer_id, transaction] : group.soft.transactions.by_producer) {
    if (transaction.deadline_ms <= now_ms) changes.push_back({.producer_id = producer_id, .now = {}});
  }
  return outcome;
}

}  // namespace weir::group
