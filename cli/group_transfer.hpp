// `weir groups export` and `weir groups import`: groups out of and into a data folder that no server has open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/group_dump.hpp"
#include "group/record.hpp"

namespace weir::cli {

/// Groups of one partition of `__consumer_offsets`, of so many.
struct offsets_partition {
  std::int32_t index = 0;
  std::int32_t count = 1;
};
/// `7/50`. Error: names the text.
[[nodiscard]] result<offsets_partition> parse_partition(std::string_view text);
/// Where Kafka keeps the group (spec 04, section 1).
[[nodiscard]] std::int32_t partition_of(std::string_view group_id, std::int32_t count);

/// An offset counts for its topic's name only from then on: ids differ from one cluster to another.
void forget_topic_id(group::record& r);

struct export_options {
  std::string data_dir = {};
  std::vector<std::string> groups = {};  ///< empty: all
  std::optional<offsets_partition> partition = {};
  dump_format format = dump_format::jsonl;
  bool forget_topic_ids = false;  ///< offsets without topic ids, as older brokers write them
  std::string output = {};        ///< empty: `standard_output`
};

/// What to tell the user. A file is there whole or not at all. Error: the folder, a named group that is not there, a
/// record that the form cannot hold.
[[nodiscard]] result<std::string> export_groups(const export_options& options, std::ostream& standard_output,
                                                std::int64_t now_ms);

struct import_options {
  std::string data_dir = {};
  std::vector<std::string> files = {};  ///< exports, segments, or folders of segments
  std::vector<std::string> groups = {};  ///< empty: all
  std::optional<dump_format> format = {};  ///< nothing: by the first byte of each file
  bool forget_topic_ids = false;
  bool replace = false;  ///< groups that the folder has
  bool dry_run = false;
  std::size_t bytes_max = std::size_t{1} << 30;  ///< of keys and values that are held, over all files
};

/// What to tell the user. Error: a file, a group that no coordinator could have written (cli/import_rules), one that is
/// there already, no record in any segment. On an error nothing has changed.
[[nodiscard]] result<std::string> import_groups(const import_options& options);

}  // namespace weir::cli
