// The port to the log: append, durable-up-to, replay. One event of one group is one append: durable whole or not at
// all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "group/record.hpp"

namespace weir::storage {

/// Small key-value tables beside the records.
enum class table : std::uint8_t {
  topics,         ///< the embedded catalogue: topic name -> JSON or encoded value, owned by server/catalogue
  group_configs,  ///< group id -> overrides
  timeline,       ///< group and number -> one event of the group, owned by actors/timeline
  meta,           ///< cluster id, format version
};

/// One key to set, or to remove if there is no value.
struct table_write {
  table in = table::meta;
  std::string key;
  std::optional<std::string> value;
};

/// What becomes durable together.
struct append_request {
  std::string group_id;               ///< whose records these are; may be empty if there are none
  /// Grows whenever the group is rebuilt from the log. Once an append of a group failed, its later ones of the same
  /// (or an older) incarnation fail too: they were decided on records that never became durable. Unused without
  /// group_id.
  std::uint64_t incarnation = 0;
  group::records records;
  std::vector<table_write> writes;
  /// Called once, in the order of the group's appends: success, or why nothing of it was written. On the log's own
  /// thread, or inside append() if the log has been stopped or has no room for something without group_id. Must not
  /// block. So after a failure everything older of the group is settled and everything younger of that incarnation
  /// will fail: what replay_group() then reads stays.
  std::function<void(result<void>)> done;
};

/// Longest group id, member id and topic name the log stores, bytes: together they fit into one LMDB key. Whoever
/// accepts requests refuses longer ones; an append that has one fails.
inline constexpr std::size_t id_bytes_max = 249;

/// Implementations: lmdb_log (one node), memory_log (tests; can delay, fail and lose). append() may be called from any
/// thread; appends of one group become durable in the order they were made.
class record_log {
 public:
  virtual ~record_log() = default;

  /// Never blocks. Refused through done() when the queue is full or the log is stopping. While a refusal of a full
  /// queue waits for its turn, later appends of the same group and incarnation may be dropped with their done()
  /// uncalled: the refusal speaks for them, so no more are kept than there are groups.
  virtual void append(append_request request) = 0;

  /// Every live record, group by group (all records of a group are adjacent, keys in order within it).
  using visitor = std::function<void(std::string_view group_id, group::record record)>;
  virtual result<void> replay(const visitor& visit) = 0;
  /// The live records of one group: how a group forgets a failed write.
  virtual result<void> replay_group(std::string_view group_id, const visitor& visit) = 0;
  /// Every key of a table in key order.
  using entry_visitor = std::function<void(std::string_view key, std::string_view value)>;
  virtual result<void> read_table(table from, const entry_visitor& visit) = 0;

  /// The keys that begin with `prefix`, from the greatest down, those from `below` on left out (empty: none is left
  /// out), until `visit` answers false.
  using stopping_visitor = std::function<bool(std::string_view key, std::string_view value)>;
  virtual result<void> read_back(table from, std::string_view prefix, std::string_view below,
                                 const stopping_visitor& visit) = 0;

  /// The value of one key; nothing if there is none.
  virtual result<std::optional<std::string>> read_value(table from, std::string_view key) = 0;

  /// Whether an append would be refused for want of room. Who can refuse before deciding asks first; any thread.
  [[nodiscard]] virtual bool full() const noexcept = 0;
  /// Nothing while the log can write; otherwise why it can't (a full disk ...), for /readyz.
  [[nodiscard]] virtual std::optional<std::string> not_writable() const = 0;
  /// Appends waiting to be written.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
};

}  // namespace weir::storage
