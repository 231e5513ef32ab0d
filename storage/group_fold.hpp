// Reads a group log from its start and says what its groups are at its end: how an import understands a log of Kafka's
// (spec 04, section 8). Owned by whoever reads the log; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "group/record.hpp"

namespace weir::storage {

/// A record of a log, in Kafka's key and value bytes.
struct log_entry {
  std::int64_t position = 0;                ///< grows along the log
  std::optional<std::int64_t> producer_id;  ///< of the transaction it belongs to
  byte_view key;
  std::optional<byte_view> value;  ///< nothing: a tombstone
};

/// A group that can be stored.
struct folded_group {
  std::string id;
  std::string_view kind;    ///< `streams group`, `classic group`, `consumer group`, `offsets`
  group::records records;  ///< live ones, offsets first
  std::size_t offsets = 0;  ///< how many of them
};

/// A group that Weir cannot go on with, and why.
struct skipped_group {
  std::string id;
  std::string why;
};

/// The end of a log.
struct folded_log {
  std::vector<folded_group> groups;    ///< by id
  std::vector<skipped_group> skipped;  ///< by id
  std::size_t read = 0;                ///< records
  std::size_t aborted = 0;             ///< of aborted transactions
  std::size_t open = 0;                ///< of transactions that had no end
  std::size_t partition_metadata = 0;  ///< of early builds (spec 04, 8.6): of no use
  std::size_t left_over = 0;           ///< live ones of what a stored group once was
  std::size_t unknown = 0;             ///< of types that Weir does not know
  std::size_t bytes = 0;               ///< of keys and values that were held, as bytes_max counts them
};

struct fold_options {
  std::set<std::string, std::less<>> groups = {};  ///< only these; empty: all
  std::size_t bytes_max = std::size_t{1} << 30;    ///< of keys and values that are held
};

class group_fold {
 public:
  explicit group_fold(fold_options options) : options_(std::move(options)) {}

  /// The next record. Error: bytes that do not fit, an id too long for the store, more than bytes_max.
  result<void> add(const log_entry& entry);
  /// The marker that ends the producer's transaction.
  void end_transaction(std::int64_t producer_id, bool commits);
  /// Call once, at the end.
  [[nodiscard]] folded_log finish();

 private:
  /// The newest record of a key.
  struct held {
    std::int64_t position = 0;
    std::int16_t type = 0;
    bool live = false;                    // not a tombstone
    bool has_members = false;             // type 2 only
    std::size_t bytes = 0;                // of key and value
    std::optional<group::record> record;  // live ones of our own types
  };
  using group_entries = std::map<std::string, held, std::less<>>;  // by key
  struct pending {
    std::string group_id;
    std::string key;
    held what;
  };

  [[nodiscard]] bool is_wanted(const std::string& group_id) const;
  result<held> read_own(const log_entry& entry, std::string& group_id, std::string& key);
  result<held> read_foreign(const log_entry& entry, std::int16_t type, std::string& group_id);
  result<void> keep(const log_entry& entry, pending what);
  void settle(pending what);
  static void finish_group(const std::string& id, group_entries& entries, folded_log& out);
  static const held* decisive_of(const group_entries& entries);
  static bool has_consumers(const group_entries& entries);

  fold_options options_;
  folded_log counts_;
  std::size_t bytes_ = 0;
  std::map<std::string, group_entries, std::less<>> groups_;
  std::map<std::int64_t, std::vector<pending>> transactions_;  // by producer
};

}  // namespace weir::storage
