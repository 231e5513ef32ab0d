// The two forms in which group records leave and enter a data folder: lines of JSON, and Kafka's record batches as they
// stand in a segment file of `__consumer_offsets` (docs/decisions/011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/record_json.hpp"
#include "storage/group_fold.hpp"

namespace weir::cli {

enum class dump_format : std::uint8_t { jsonl, kafka };

/// How many groups and records a dump has; the first line of the JSON form says it.
struct dump_size {
  std::size_t groups = 0;
  std::size_t records = 0;
};

/// Writes one dump. Errors of the stream are the caller's to look at.
class dump_writer {
 public:
  /// `now_ms` becomes the timestamp of Kafka's batches.
  dump_writer(std::ostream& out, dump_format format, dump_size size, std::int64_t now_ms);
  /// Error: a record that the form cannot hold.
  result<void> add(record_bytes record);
  /// Call once, at the end.
  void finish();

 private:
  void write_batch();

  std::ostream& out_;
  dump_format format_;
  std::int64_t now_ms_;
  std::int64_t next_offset_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::vector<record_bytes> waiting_;  // for the next batch
};

/// The form of a file, by its first byte. Error: it cannot be read.
[[nodiscard]] result<dump_format> format_of(const std::string& path);

/// Adds all records of a file. Error: `PATH:LINE: why`.
result<void> read_jsonl(const std::string& path, storage::group_fold& into);
/// The same of a segment; `last_offset` is that of the segment before, and becomes that of this one. Error: `PATH, byte
/// N: why`.
result<void> read_segment(const std::string& path, storage::group_fold& into, std::int64_t& last_offset);

}  // namespace weir::cli
