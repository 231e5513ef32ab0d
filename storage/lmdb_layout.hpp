// How appends become LMDB keys and values. A group's entries are adjacent: every key starts with the length and the
// bytes of the group id. `records`: that, int16 record type, member id. `offsets`: that, topic, int32 partition.
// Big-endian. Values are Kafka's value bytes. Tombstones are not stored: they delete.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/lmdb_env.hpp"
#include "storage/record_log.hpp"

namespace weir::storage {

/// One key to put, or to delete if there is no value.
struct lmdb_change {
  database in = database::meta;
  std::string key;
  std::optional<std::string> value;
};

/// An append, encoded, on its way through the queue of the writer.
struct pending_append {
  std::string group_id;
  std::uint64_t incarnation = 0;
  std::vector<lmdb_change> changes;
  std::size_t bytes = 0;               ///< of keys and values
  std::optional<std::string> refused;  ///< why it will not be written; keeps its place in the order
  std::function<void(result<void>)> done;
  std::chrono::steady_clock::time_point queued_at{};  ///< set by the queue
};

/// Encodes; sets `refused` if an id is too long for a key.
[[nodiscard]] pending_append encode_append(append_request request);

/// Puts or deletes one key. LMDB's error number; a key to delete that is not there is none.
int write_change(lmdb_env& env, MDB_txn* txn, const lmdb_change& change);

[[nodiscard]] database database_of(table which) noexcept;

/// What all keys of a group start with.
[[nodiscard]] std::string group_prefix(std::string_view group_id);
/// The prefix at the front of a key of `records` or `offsets`; empty if it is not one.
[[nodiscard]] std::string_view prefix_of(std::string_view key) noexcept;
/// The group id in a prefix.
[[nodiscard]] inline std::string_view group_of(std::string_view prefix) noexcept { return prefix.substr(1); }

/// One stored entry of `records` or `offsets` as a record. Error: names the entry and what does not fit.
[[nodiscard]] result<group::record> decode_entry(database from, std::string_view key, std::string_view value);

}  // namespace weir::storage
