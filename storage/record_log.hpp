// The port to the log: append, durable-up-to, replay. One event of one group is one append: durable whole or not at all.
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
  timeline,       ///< group id + sequence -> event
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
  group::records records;
  std::vector<table_write> writes;
  /// Called once on the log's own thread: success, or why nothing of it was written. Must not block.
  std::function<void(result<void>)> done;
};

/// Implementations: lmdb_log (one node), memory_log (tests; can delay, fail and lose). append() may be called from any
/// thread; appends of one group become durable in the order they were made.
class record_log {
 public:
  virtual ~record_log() = default;

  /// Never blocks. Refused through done() when the queue is full (bounded) or the log is stopping.
  virtual void append(append_request request) = 0;

  /// Every live record, group by group (all records of a group are adjacent, keys in order within it).
  using visitor = std::function<void(std::string_view group_id, group::record record)>;
  virtual result<void> replay(const visitor& visit) = 0;
  /// The live records of one group: how a group forgets a failed write.
  virtual result<void> replay_group(std::string_view group_id, const visitor& visit) = 0;
  /// Every key of a table in key order.
  virtual result<void> read_table(table from, const std::function<void(std::string_view key, std::string_view value)>& visit) = 0;

  /// Nothing while the log can write; otherwise why it can't (a full disk ...), for /readyz.
  [[nodiscard]] virtual std::optional<std::string> not_writable() const = 0;
  /// Appends waiting to be written.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;
};

}  // namespace weir::storage
