#include "storage/group_fold.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "protocol/group_records.hpp"
#include "protocol/messages/group_metadata_value.hpp"
#include "storage/record_codec.hpp"
#include "storage/record_log.hpp"

namespace weir::storage {

namespace {

// Spec 04, 2.1.
constexpr std::int16_t offset_entry = 1;
constexpr std::int16_t classic_entry = 2;
constexpr std::int16_t consumer_entry = 3;
constexpr std::int16_t consumer_member_entry = 5;

enum class family { none, streams, classic, consumer, share };

bool is_partition_metadata(std::int16_t type) noexcept { return type == 4 || type == 18; }
bool is_share(std::int16_t type) noexcept { return type >= 9 && type <= 15; }
/// Of the members of a consumer group, which Weir does not store.
bool is_consumer_part(std::int16_t type) noexcept { return (type >= 5 && type <= 8) || type == 16; }

/// Whose records these are.
family family_of(std::int16_t type) noexcept {
  if (type == classic_entry) return family::classic;
  if (type == consumer_entry || is_consumer_part(type)) return family::consumer;
  if (is_share(type)) return family::share;
  return type == offset_entry ? family::none : family::streams;
}

std::string_view name_of(family kind) noexcept {
  if (kind == family::streams) return "streams group";
  if (kind == family::consumer) return "consumer group";
  return kind == family::classic ? "classic group" : "offsets";
}

/// Why Weir cannot go on with such a group; empty if it can.
std::string_view why_skipped(family kind, bool has_members) noexcept {
  if (kind == family::share) return "a share group";
  if (kind == family::classic && has_members) return "a classic group with members";
  return kind == family::consumer && has_members ? "a consumer group with members" : "";
}

/// Whether the record makes its group one of that family: without metadata, members and topology a streams group is
/// none (spec 04, 8.5).
bool decides(std::int16_t type) noexcept {
  const auto of = family_of(type);
  return of == family::streams ? type == 17 || type == 19 || type == 23 : of != family::none;
}

}  // namespace

result<void> group_fold::add(const log_entry& entry) {
  ++counts_.read;
  const auto type = protocol::record_type(entry.key);
  if (!type) return fail("record key without a type");
  if (is_partition_metadata(*type)) {
    ++counts_.partition_metadata;
    return {};
  }
  pending found;
  const bool foreign = is_share(*type) || is_consumer_part(*type);
  if (foreign) found.key = as_characters(entry.key);
  auto what = foreign ? read_foreign(entry, *type, found.group_id) : read_own(entry, found.group_id, found.key);
  if (!what) return tl::unexpected(what.error());
  if (found.key.empty()) {
    ++counts_.unknown;
    return {};
  }
  if (!is_wanted(found.group_id)) return {};
  found.what = std::move(*what);
  return keep(entry, std::move(found));
}

bool group_fold::is_wanted(const std::string& group_id) const {
  return options_.groups.empty() || options_.groups.contains(group_id);
}

/// A record that Weir stores; no key if it knows no such type.
result<group_fold::held> group_fold::read_own(const log_entry& entry, std::string& group_id, std::string& key) {
  const auto parts = decode_key(entry.key);
  if (!parts) return tl::unexpected(parts.error());
  if (!*parts) return held{};
  const record_key& of = **parts;
  group_id = of.group_id;
  key = as_characters(encode_key(of));  // that of today, if it is the legacy one
  if (!is_wanted(group_id)) return held{};  // whatever is wrong with it
  if (of.group_id.size() > id_bytes_max || of.name.size() > id_bytes_max) {
    return fail(fmt::format("group id, member id or topic name longer than {} bytes", id_bytes_max));
  }
  auto record = decode_record(of, entry.value);
  if (!record) {
    return fail(fmt::format("record type {} of group '{}': {}", of.type, of.group_id, record.error().message));
  }
  held out{.position = entry.position, .type = of.type, .live = entry.value.has_value(), .record = std::nullopt};
  if (!out.live) return out;
  out.record = std::move(*record);
  if (of.type == classic_entry) {
    out.has_members = !protocol::decode_record_value<protocol::group_metadata_value>(*entry.value)->members.empty();
  }
  return out;
}

/// A record of a share group or of the members of a consumer group: what counts is whose it is and that it is there.
result<group_fold::held> group_fold::read_foreign(const log_entry& entry, std::int16_t type, std::string& group_id) {
  protocol::wire::reader in(entry.key.subspan(sizeof type));
  group_id = in.string(false).str();
  if (!in.ok()) return fail(fmt::format("key of record type {}: {}", type, in.reason()));
  return held{.position = entry.position, .type = type, .live = entry.value.has_value(), .record = std::nullopt};
}

result<void> group_fold::keep(const log_entry& entry, pending what) {
  what.what.bytes = entry.key.size() + (entry.value ? entry.value->size() : 0);
  bytes_ += what.what.bytes;
  if (bytes_ > options_.bytes_max) {
    return fail(fmt::format("more than {} bytes of records; name the groups to import", options_.bytes_max));
  }
  if (entry.producer_id) {
    transactions_[*entry.producer_id].push_back(std::move(what));
  } else {
    settle(std::move(what));
  }
  return {};
}

/// Spec 04, 8.3: what a transaction commits counts from where it stands in the log, not from where it was committed.
void group_fold::settle(pending what) {
  auto [at, added] = groups_[what.group_id].try_emplace(std::move(what.key), std::move(what.what));
  if (added) return;
  if (what.what.position > at->second.position) std::swap(at->second, what.what);
  bytes_ -= what.what.bytes;
}

void group_fold::end_transaction(std::int64_t producer_id, bool commits) {
  const auto found = transactions_.find(producer_id);
  if (found == transactions_.end()) return;
  if (commits) {
    for (auto& entry : found->second) settle(std::move(entry));
  } else {
    counts_.aborted += found->second.size();
    for (const auto& entry : found->second) bytes_ -= entry.what.bytes;
  }
  transactions_.erase(found);
}

folded_log group_fold::finish() {
  auto out = std::move(counts_);
  out.bytes = bytes_;
  for (const auto& [producer, entries] : transactions_) out.open += entries.size();
  for (auto& [id, entries] : groups_) finish_group(id, entries, out);
  return out;
}

void group_fold::finish_group(const std::string& id, group_entries& entries, folded_log& out) {
  std::erase_if(entries, [](const auto& entry) { return !entry.second.live; });
  const auto* const decisive = decisive_of(entries);
  const auto kind = decisive == nullptr ? family::none : family_of(decisive->type);
  const bool has_members = (decisive != nullptr && decisive->has_members) || has_consumers(entries);
  if (const auto why = why_skipped(kind, has_members); !why.empty()) {
    return out.skipped.push_back({id, std::string(why)});
  }
  folded_group made{.id = id, .kind = name_of(kind), .records = {}};
  for (auto& [key, entry] : entries) {
    const bool offset = entry.type == offset_entry;
    if (offset || (entry.record && family_of(entry.type) == kind)) {
      made.offsets += offset ? 1 : 0;
      made.records.push_back(std::move(*entry.record));
    } else {
      ++out.left_over;
    }
  }
  if (!made.records.empty()) out.groups.push_back(std::move(made));
}

/// Of two kinds under one id the later one counts (spec 04, 8.5).
const group_fold::held* group_fold::decisive_of(const group_entries& entries) {
  const held* newest = nullptr;
  for (const auto& [key, entry] : entries) {
    if (decides(entry.type) && (newest == nullptr || entry.position > newest->position)) newest = &entry;
  }
  return newest;
}

bool group_fold::has_consumers(const group_entries& entries) {
  return std::ranges::any_of(entries, [](const auto& entry) { return entry.second.type == consumer_member_entry; });
}

}  // namespace weir::storage
