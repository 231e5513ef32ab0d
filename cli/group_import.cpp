// `weir groups import`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "cli/group_transfer.hpp"
#include "cli/import_rules.hpp"
#include "cli/output.hpp"
#include "storage/group_folder.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using storage::folded_log;

/// Files that make one log, in their order: an export, or the segments of a partition.
struct log_source {
  std::string name;
  dump_format format = dump_format::kafka;
  std::vector<std::string> files;
};

/// The segments in a folder, or the file itself.
result<std::vector<std::string>> expand(const std::string& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return std::vector{path};
  std::vector<std::string> out;
  for (fs::directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
    if (at->path().extension() == ".log") out.push_back(at->path().string());
  }
  if (code) return fail(fmt::format("cannot read '{}': {}", path, code.message()));
  if (out.empty()) return fail(fmt::format("there is no segment (*.log) in the folder '{}'", path));
  return out;
}

/// Segments of one folder are one log; their names are the offsets they begin at.
result<std::vector<log_source>> sources_of(const import_options& options) {
  std::vector<log_source> out;
  std::map<std::string, std::set<std::string>> segments;  // by folder
  std::set<std::string> exports;
  for (const auto& path : options.files) {
    const auto files = expand(path);
    if (!files) return tl::unexpected(files.error());
    for (const auto& file : *files) {
      const auto format = options.format ? result<dump_format>(*options.format) : format_of(file);
      if (!format) return tl::unexpected(format.error());
      (*format == dump_format::jsonl ? exports : segments[fs::path(file).parent_path().string()]).insert(file);
    }
  }
  for (const auto& file : exports) out.push_back({file, dump_format::jsonl, {file}});
  for (auto& [folder, files] : segments) {
    const auto name = files.size() == 1 ? *files.begin() : folder;
    out.push_back({name, dump_format::kafka, {files.begin(), files.end()}});
  }
  return out;
}

/// The offset that the name of a segment says it begins at.
std::optional<std::int64_t> base_offset(const std::string& file) {
  const auto name = fs::path(file).stem().string();
  std::int64_t offset = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), offset);
  if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) return std::nullopt;
  return offset;
}

/// Looks for offsets between the end of a segment and the name of the next. Compaction may have taken them, too, so
/// they are no error.
class segment_gaps {
 public:
  void next_file(const std::string& file, std::int64_t last_offset) {
    const auto begins = base_offset(file);
    if (last_offset >= 0 && begins && *begins > last_offset + 1 && found_++ == 0) {
      first_ = fmt::format("offsets {} to {} in front of {}", last_offset + 1, *begins - 1, file);
    }
  }
  [[nodiscard]] std::string warning() const {
    if (found_ == 0) return {};
    const auto others = found_ == 1 ? std::string() : fmt::format(" and at {} more places", found_ - 1);
    return fmt::format("warning: no segment has {}{}: compacted, or the segment before was cut\n", printable(first_),
                       others);
  }

 private:
  std::size_t found_ = 0;
  std::string first_;
};

/// What was read, and what the user should know of it.
struct import_input {
  folded_log log;
  std::string notes;  // lines
};

result<import_input> read_log(const log_source& from, const import_options& options, std::size_t bytes_max) {
  storage::group_fold fold({.groups = {options.groups.begin(), options.groups.end()}, .bytes_max = bytes_max});
  std::int64_t last_offset = -1;
  segment_gaps gaps;
  for (const auto& file : from.files) {
    if (from.format == dump_format::kafka) gaps.next_file(file, last_offset);
    auto read = from.format == dump_format::jsonl ? read_jsonl(file, fold) : read_segment(file, fold, last_offset);
    if (!read) return tl::unexpected(read.error());
  }
  import_input out{.log = fold.finish(), .notes = gaps.warning()};
  if (out.log.read == 0) out.notes += fmt::format("{} has no records\n", printable(from.name));
  return out;
}

/// Group -> the log that has it.
using group_origins = std::map<std::string, std::string>;

/// Adds one log to the others. Error: a group that is in two of them.
result<void> join(folded_log& all, folded_log one, const std::string& name, group_origins& origins) {
  for (const auto& group : one.groups) {
    const auto [at, added] = origins.try_emplace(group.id, name);
    if (!added) return fail(fmt::format("group '{}' is in {} and in {}", group.id, at->second, name));
  }
  std::ranges::move(one.groups, std::back_inserter(all.groups));
  std::ranges::move(one.skipped, std::back_inserter(all.skipped));
  all.read += one.read;
  all.aborted += one.aborted;
  all.open += one.open;
  all.partition_metadata += one.partition_metadata;
  all.left_over += one.left_over;
  all.unknown += one.unknown;
  all.bytes += one.bytes;
  return {};
}

/// An export of no groups is whole, and says so in its first line. Segments without a record are hardly what was meant.
result<void> check_found(const folded_log& all, const std::vector<log_source>& sources, const import_options& options) {
  const auto is_export = [](const auto& source) { return source.format == dump_format::jsonl; };
  if (all.read == 0 && std::ranges::none_of(sources, is_export)) {
    return fail("there is not one record in what was read: nothing was imported");
  }
  for (const auto& wanted : options.groups) {
    const auto is_it = [&](const auto& group) { return group.id == wanted; };
    if (std::ranges::any_of(all.groups, is_it) || std::ranges::any_of(all.skipped, is_it)) continue;
    return fail(fmt::format("there is no group '{}' in what was read", wanted));
  }
  return {};
}

result<void> check_all_rules(import_input& read) {
  for (const auto& group : read.log.groups) {
    const auto repairs = check_rules(group);
    if (!repairs) return tl::unexpected(repairs.error());
    for (const auto& repair : *repairs) {
      read.notes += fmt::format("warning: {}: {} at the start\n", printable(group.id), printable(repair));
    }
  }
  return {};
}

result<import_input> read_all(const import_options& options) {
  const auto sources = sources_of(options);
  if (!sources) return tl::unexpected(sources.error());
  import_input all;
  group_origins origins;
  for (const auto& source : *sources) {
    auto one = read_log(source, options, options.bytes_max - all.log.bytes);
    if (!one) return one;
    all.notes += one->notes;
    auto joined = join(all.log, std::move(one->log), source.name, origins);
    if (!joined) return tl::unexpected(joined.error());
  }
  auto checked = check_found(all.log, *sources, options);
  if (checked) checked = check_all_rules(all);
  if (!checked) return tl::unexpected(checked.error());
  return all;
}

void forget_topic_ids(folded_log& in) {
  for (auto& group : in.groups) {
    for (auto& record : group.records) forget_topic_id(record);
  }
}

/// Everything but what was asked for alone leaves a line: nothing is dropped in silence.
std::string summary(const import_input& read, const import_options& options) {
  const auto& of = read.log;
  std::string out = read.notes;
  for (const auto& group : of.groups) {
    out += fmt::format("{} {}: {}, {} records, {} offsets\n", options.dry_run ? "would import" : "imported",
                       printable(group.id), group.kind, group.records.size(), group.offsets);
  }
  for (const auto& group : of.skipped) out += fmt::format("skipped {}: {}\n", printable(group.id), group.why);
  const std::pair<std::size_t, std::string_view> dropped[] = {
      {of.aborted, "of aborted transactions"},
      {of.open, "of transactions without an end"},
      {of.partition_metadata, "of partition metadata, which early builds wrote"},
      {of.left_over, "of what a group was before, or of an empty consumer group"},
      {of.unknown, "of types that Weir does not know"}};
  for (const auto& [count, what] : dropped) {
    if (count > 0) out += fmt::format("left out {} records {}\n", count, what);
  }
  out += fmt::format("read {} records: {} groups {}, {} skipped\n", of.read, of.groups.size(),
                     options.dry_run ? "to import" : "imported", of.skipped.size());
  if (options.dry_run) out += "dry run: nothing was changed\n";
  return out;
}

result<std::string> import_all(const import_options& options) {
  auto read = read_all(options);
  if (!read) return tl::unexpected(read.error());
  auto& log = read->log;
  if (options.forget_topic_ids) forget_topic_ids(log);
  if (options.dry_run && !storage::group_folder::exists(options.data_dir)) return summary(*read, options);
  auto folder = storage::group_folder::open(options.data_dir);
  if (!folder) return tl::unexpected(folder.error());
  const auto known = folder->known_of(log.groups);
  if (!known) return tl::unexpected(known.error());
  if (!known->empty() && !options.replace) {
    return fail(fmt::format("the data folder already has {}; --replace puts what was read in their place, --group "
                            "chooses others",
                            fmt::join(*known, ", ")));
  }
  if (!options.dry_run) {
    if (auto stored = folder->replace(log.groups); !stored) return tl::unexpected(stored.error());
  }
  return summary(*read, options);
}

}  // namespace

result<std::string> import_groups(const import_options& options) {
  auto told = import_all(options);
  if (!told) return fail(printable(told.error().message));
  return told;
}

}  // namespace weir::cli
