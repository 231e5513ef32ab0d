// `weir groups export`.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include "base/java_hash.hpp"
#include "cli/group_transfer.hpp"
#include "cli/output.hpp"
#include "storage/group_folder.hpp"
#include "storage/record_codec.hpp"

namespace weir::cli {
namespace {

/// Which groups of the folder leave it.
class selection {
 public:
  explicit selection(const export_options& options)
      : named_(options.groups.begin(), options.groups.end()), partition_(options.partition) {}

  [[nodiscard]] bool takes(std::string_view group_id) const {
    if (!named_.empty() && !named_.contains(group_id)) return false;
    return !partition_ || partition_of(group_id, partition_->count) == partition_->index;
  }
  [[nodiscard]] const std::set<std::string, std::less<>>& named() const noexcept { return named_; }

 private:
  std::set<std::string, std::less<>> named_;
  std::optional<offsets_partition> partition_;
};

struct measured {
  dump_size size;
  std::set<std::string, std::less<>> groups;
};

/// What there is to export: the first line of a dump says how much follows.
result<measured> measure(storage::group_folder& folder, const selection& chosen) {
  measured out;
  std::set<std::string, std::less<>> absent = chosen.named();
  auto read = folder.read([&](std::string_view group_id, const group::record&) {
    if (const auto found = absent.find(group_id); found != absent.end()) absent.erase(found);
    if (!chosen.takes(group_id)) return;
    ++out.size.records;
    if (!out.groups.contains(group_id)) out.groups.emplace(group_id);
  });
  if (!read) return tl::unexpected(read.error());
  if (!absent.empty()) return fail(fmt::format("there is no group '{}' in the data folder", fmt::join(absent, "', '")));
  out.size.groups = out.groups.size();
  return out;
}

result<void> write_all(storage::group_folder& folder, const selection& chosen, bool forget, dump_writer& to) {
  result<void> written;
  auto read = folder.read([&](std::string_view group_id, group::record r) {
    if (!written || !chosen.takes(group_id)) return;
    if (forget) forget_topic_id(r);
    written = to.add({storage::encode_key(storage::key_of(group_id, r)), storage::encode_value(r)});
    if (!written) written = fail(fmt::format("group '{}': {}", group_id, written.error().message));
  });
  if (!read) return read;
  if (written) to.finish();
  return written;
}

/// Waits until a file or folder is on the disk.
bool flush(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool flushed = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return flushed;
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

using export_body = std::function<result<void>(std::ostream&)>;

/// A pipe or a device takes what it is given.
result<void> write_into(const std::string& path, const export_body& body) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  auto written = out ? body(out) : result<void>();
  out.close();
  if (written && !out) return fail(fmt::format("cannot write to '{}': {}", path, std::strerror(errno)));
  return written;
}

/// Makes the file under another name first, so that one that is cut short is never taken for an export.
result<void> replace_file(const std::string& path, const export_body& body) {
  const auto part = path + ".part";
  const auto refuse = [&] {
    const auto why = fmt::format("cannot write '{}': {}", path, std::strerror(errno));
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    return fail(why);
  };
  errno = 0;
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  if (!out) return refuse();
  auto written = body(out);
  out.close();
  if (written && out && flush(part) && std::rename(part.c_str(), path.c_str()) == 0 && flush(folder_of(path))) {
    return written;
  }
  if (written) return refuse();
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  return written;
}

/// A link stays, and the file it names is written.
result<void> write_file(const std::string& path, const export_body& body) {
  std::error_code none;
  const auto file = std::filesystem::weakly_canonical(path, none);
  if (none) return fail(fmt::format("cannot write '{}': {}", path, none.message()));
  const bool is_other = std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none);
  return is_other ? write_into(path, body) : replace_file(file.string(), body);
}

/// What an export leaves behind, for the user to know.
result<std::string> settings_note(storage::group_folder& folder, const measured& what) {
  auto configured = folder.configured();
  if (!configured) return tl::unexpected(configured.error());
  std::erase_if(*configured, [&](const auto& id) { return !what.groups.contains(id); });
  if (configured->empty()) return std::string();
  return fmt::format("not exported: the settings of {}\n", printable(fmt::format("{}", fmt::join(*configured, ", "))));
}

result<std::string> export_all(const export_options& options, std::ostream& standard_output, std::int64_t now_ms) {
  if (!storage::group_folder::exists(options.data_dir)) {
    return fail(fmt::format("there is no data folder '{}'", options.data_dir));
  }
  auto folder = storage::group_folder::open(options.data_dir);
  if (!folder) return tl::unexpected(folder.error());
  const selection chosen(options);
  const auto what = measure(*folder, chosen);
  if (!what) return tl::unexpected(what.error());
  const auto note = settings_note(*folder, *what);
  if (!note) return note;
  const auto write = [&](std::ostream& out) {
    dump_writer writer(out, options.format, what->size, now_ms);
    return write_all(*folder, chosen, options.forget_topic_ids, writer);
  };
  auto written = options.output.empty() ? write(standard_output) : write_file(options.output, write);
  if (written && options.output.empty() && !standard_output.flush()) written = fail("cannot write to standard output");
  if (!written) return tl::unexpected(written.error());
  return fmt::format("exported {} records of {} groups\n{}", what->size.records, what->size.groups, *note);
}

}  // namespace

result<offsets_partition> parse_partition(std::string_view text) {
  offsets_partition out;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, out.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, out.count);
    if (count.ec == std::errc() && count.ptr == end && out.index >= 0 && out.index < out.count) return out;
  }
  return fail(fmt::format("--partition must have the form 7/50 (partition 7 of 50), not '{}'", text));
}

std::int32_t partition_of(std::string_view group_id, std::int32_t count) {
  const auto hash = java_hash(group_id);
  return hash == std::numeric_limits<std::int32_t>::min() ? 0 : std::abs(hash) % count;
}

void forget_topic_id(group::record& r) {
  if (auto* const offset = std::get_if<group::offset_record>(&r); offset != nullptr && offset->value) {
    offset->value->topic_id = {};
  }
}

result<std::string> export_groups(const export_options& options, std::ostream& standard_output, std::int64_t now_ms) {
  auto told = export_all(options, standard_output, now_ms);
  if (!told) return fail(printable(told.error().message));
  return told;
}

}  // namespace weir::cli
