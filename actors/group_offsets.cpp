// The requests of a group about committed offsets.
#include <algorithm>
#include <utility>
#include <variant>

#include "actors/group_shell.hpp"
#include "group/offsets/commit.hpp"
#include "group/offsets/delete.hpp"
#include "group/offsets/expire.hpp"
#include "group/offsets/transactions.hpp"

namespace weir::actors {

namespace {

group::commit_check to_check(const commit_request& commit, bool strict_kafka, const metadata::image& image) {
  group::commit_check check;
  check.strict_kafka = strict_kafka;
  check.image = &image;
  check.version = commit.version;
  check.transactional = commit.transactional;
  check.member_id = commit.member_id;
  if (commit.instance_id) check.instance_id = *commit.instance_id;
  check.member_epoch = commit.member_epoch;
  check.partitions.reserve(commit.entries.size());
  for (const auto& entry : commit.entries) {
    if (entry.is_stored) check.partitions.emplace_back(entry.topic, entry.partition);
  }
  return check;
}

group::records to_records(std::vector<group::offset_entry> entries) {
  group::records records;
  records.reserve(entries.size());
  for (auto& entry : entries) {
    records.push_back(group::offset_record{std::move(entry.topic), entry.partition, std::move(entry.value)});
  }
  return records;
}

group::change_outcome only_records(group::records records) {
  group::change_outcome outcome;
  outcome.records = std::move(records);
  return outcome;
}

}  // namespace

void group_shell::commit(const commit_message& message) {
  if (!admit(*message.request)) return;
  const auto& commit = *message.commit;
  match_patterns();
  auto verdict = protocol::error_code::none;
  bool is_judged = true;  // not a commit of nothing that could be stored: its partitions were refused one by one
  if (const auto refused = group::check_commit(group_, to_check(commit, services_.options.strict_kafka, *image_))) {
    verdict = refused->code;
  }
  if (verdict == protocol::error_code::none && !message.check_only) {
    auto offsets = dated(commit);
    const auto stored = offsets.size();
    is_judged = stored > 0;
    auto outcome = commit.producer && stored > 0 ? group::hold_back(group_, *commit.producer, std::move(offsets))
                                                 : only_records(to_records(std::move(offsets)));
    if (!has_room(outcome.records, *message.request)) return;
    count(services_.counters.commits, stored);
    if (stored > 0) carry_out(std::move(outcome));
  }
  if (is_judged) group::note_commit(group_, commit.member_id, verdict, now());
  answer_later(message.request, verdict);
}

/// The offsets to store, with what the request does not say: when, and of which topic (spec 04, 2.8).
std::vector<group::offset_entry> group_shell::dated(const commit_request& commit) {
  auto entries = commit.entries;
  std::erase_if(entries, [](const auto& entry) { return !entry.is_stored; });
  for (auto& entry : entries) {
    if (entry.value.commit_timestamp_ms <= 0) entry.value.commit_timestamp_ms = now();
    if (!entry.value.topic_id.is_zero()) continue;
    if (const auto* topic = image_->find(entry.topic)) entry.value.topic_id = topic->id;
  }
  return entries;
}

void group_shell::fetch(const fetch_message& message) {
  const std::shared_ptr<pending_answer> request =
      message.check ? std::static_pointer_cast<pending_answer>(message.check) : message.request;
  if (!admit(*request)) return;
  const auto& member_id = message.fetch->member_id;
  const auto refused = group::check_fetch(
      group_, member_id ? std::optional<std::string_view>(*member_id) : std::nullopt, message.fetch->member_epoch);
  const auto verdict = refused ? refused->code : protocol::error_code::none;
  if (message.check) return answer_later(message.check, verdict);
  fetched_offsets answer;
  answer.error = verdict;
  if (verdict == protocol::error_code::none) {
    for (const auto& [topic, partitions] : group_.offsets) answer.offsets.emplace(topic, partitions);
    answer.unstable = group_.soft.transactions.pending();
  }
  answer_later(message.request, std::move(answer));
}

void group_shell::delete_offsets(const delete_offsets_message& message) {
  if (!admit(*message.request)) return;
  match_patterns();
  auto deletion = group::delete_offsets(group_, message.deletion->offsets, services_.options.strict_kafka);
  if (!has_room(deletion.records, *message.request)) return;
  count(services_.counters.deletions, deletion.records.size());
  if (!deletion.records.empty()) write(std::move(deletion.records));
  offset_deletion_answer answer{deletion.error, std::move(deletion.verdicts)};
  answer_later(message.request, std::move(answer));
}

void group_shell::end_transaction(const end_transaction_message& message) {
  if (!admit(*message.request)) return;
  const auto& end = message.end;
  const auto& pending = group_.soft.transactions.by_producer;
  const auto found = pending.find(end.producer_id);
  const bool is_pending = found != pending.end() && found->second.producer_epoch == end.producer_epoch;
  if (end.commit && end.has_offsets && !is_pending) {
    return answer_later(message.request, protocol::error_code::invalid_txn_state);
  }
  auto outcome = group::end_transaction(group_, end.producer_id, end.producer_epoch, end.commit);
  if (!has_room(outcome.records, *message.request)) return;
  if (!outcome.soft.empty()) carry_out(std::move(outcome));
  answer_later(message.request, protocol::error_code::none);
}

void group_shell::clean_up() {
  if (loading_) return;
  auto records = group::clean_up(group_, services_.options.retention, empty_since_ms_.value_or(0), now());
  if (records.empty() || services_.log.full()) return;  // or at the next sweep
  const auto is_offset = [](const group::record& r) { return std::holds_alternative<group::offset_record>(r); };
  count(services_.counters.expirations,
        static_cast<std::uint64_t>(std::count_if(records.begin(), records.end(), is_offset)));
  write(std::move(records));
}

}  // namespace weir::actors
