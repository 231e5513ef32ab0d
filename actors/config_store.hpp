// Overrides of all groups, existing or not: read from the log's table at the start, replaced when an alteration is
// durable.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "group/config.hpp"
#include "storage/record_log.hpp"

namespace weir::actors {

/// What is kept of a group's settings.
struct group_settings {
  group::overrides overrides;
  std::set<std::string, std::less<>> drained;  ///< process ids

  [[nodiscard]] bool empty() const noexcept { return overrides.empty() && drained.empty(); }
};

class config_store {
 public:
  /// Reads table group_configs. Error: the log's, or an entry that cannot be decoded.
  result<void> load(storage::record_log& log);

  /// Reads one group's entry again: an alteration may have become durable while nobody was there to be told.
  result<void> reload(storage::record_log& log, std::string_view group_id);

  [[nodiscard]] group_settings get(std::string_view group_id) const;
  /// Of all that have overrides, in order.
  [[nodiscard]] std::vector<std::string> group_ids() const;
  [[nodiscard]] std::vector<std::pair<std::string, group::overrides>> all_overrides() const;
  void set(std::string_view group_id, group_settings settings);

  /// What makes these settings durable; none left: the entry is removed.
  [[nodiscard]] static storage::table_write to_write(std::string_view group_id, const group_settings& settings);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, group_settings, std::less<>> by_group_;
};

/// int16 version, then a compact array of (name, value) strings. A drained process is an entry without value under a
/// name that no setting has.
[[nodiscard]] std::string encode_settings(const group_settings& settings);
[[nodiscard]] std::optional<group_settings> decode_settings(std::string_view data);

}  // namespace weir::actors
