// Defaults of all groups that are tuned at run time: over the configuration's, below a group's own settings. Kept in
// the log with the newest changes and who made them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "group/administer.hpp"
#include "group/config.hpp"
#include "group/event.hpp"
#include "protocol/error_codes.hpp"
#include "storage/record_log.hpp"

namespace weir::actors {

/// One change of the defaults.
struct defaults_change {
  std::int64_t time_ms = 0;
  std::string by;  ///< name of the administrator's token; may be empty
  std::vector<group::field_change> changes;

  bool operator==(const defaults_change&) const = default;
};

/// What is in force at one moment.
struct group_defaults {
  group::overrides set;              ///< by a group's names, `streams.num.standby.replicas`
  group::broker_config broker;       ///< what groups inherit: the configuration with `set` in its place
  std::vector<defaults_change> history;  ///< newest first, at most defaults_history_max
};
using defaults_ptr = std::shared_ptr<const group_defaults>;
inline constexpr std::size_t defaults_history_max = 50;

struct defaults_request {
  group::config_change change;
  std::string by;
  bool dry_run = false;  ///< only judged
};
struct defaults_answer {
  defaults_ptr defaults;            ///< after it; of a dry run, as they would be
  std::vector<std::string> groups;  ///< ids of streams groups that it gives another assignment
};
using defaults_result = protocol::kafka_result<defaults_answer>;

/// The defaults after the change. Refused as overrides_after(), and if the settings of one of `own`, group ids with
/// their overrides, would no longer fit together: INVALID_CONFIG.
[[nodiscard]] protocol::kafka_result<defaults_ptr> defaults_after(
    const group_defaults& now, const group::broker_config& configured, const defaults_request& asked,
    const std::vector<std::pair<std::string, group::overrides>>& own, std::int64_t time_ms);

/// Holds the defaults in force, and keeps two changes from being written at once. Any thread.
class defaults_store {
 public:
  explicit defaults_store(group::broker_config configured);
  /// Error: the log's, or an entry that cannot be decoded. Defaults that no longer fit the configuration are left out,
  /// with a line in the log.
  result<void> load(storage::record_log& log);
  [[nodiscard]] defaults_ptr get() const;
  [[nodiscard]] const group::broker_config& configured() const noexcept { return configured_; }

  /// False: a change is being written.
  [[nodiscard]] bool begin_change();
  /// Ends it; null: nothing has changed.
  void end_change(defaults_ptr next);

  [[nodiscard]] static storage::table_write to_write(const group_defaults& defaults);

 private:
  const group::broker_config configured_;
  mutable std::mutex mutex_;
  defaults_ptr current_;
  bool changing_ = false;
};

/// int16 version, a compact array of (name, value), a compact array of changes, each with time, author and fields.
[[nodiscard]] std::string encode_defaults(const group_defaults& defaults);
/// Without `broker`. Nothing: not readable.
[[nodiscard]] std::optional<group_defaults> decode_defaults(std::string_view data);

}  // namespace weir::actors
