#include "cli/group_dump.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "http/json_reader.hpp"
#include "protocol/record_batch.hpp"

namespace weir::cli {
namespace {

constexpr std::string_view jsonl_name = "weir-groups";
constexpr std::int64_t jsonl_version = 1;
constexpr std::size_t line_bytes_max = protocol::batch_bytes_max;
constexpr std::size_t written_batch_bytes = std::size_t{256} << 10;  // below max.message.bytes, as the broker's own are

std::optional<byte_view> view_of_value(const std::optional<bytes>& data) {
  return data ? std::optional<byte_view>(*data) : std::nullopt;
}

result<std::ifstream> open_to_read(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return fail(fmt::format("cannot read '{}': it is a folder", path));
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return in;
}

/// The lines of a file, never more than one in memory.
class line_reader {
 public:
  explicit line_reader(std::ifstream& in) : in_(in) {}

  /// False at the end. Error: a line that is too long, a file that cannot be read on.
  result<bool> next() {
    line_.clear();
    auto c = in_.get();
    if (in_.bad()) return fail("the file cannot be read to its end");
    if (c == std::ifstream::traits_type::eof()) return false;
    ++number_;
    for (; c != '\n' && c != std::ifstream::traits_type::eof(); c = in_.get()) {
      if (line_.size() >= line_bytes_max) return fail(fmt::format("a line of more than {} bytes", line_bytes_max));
      line_ += static_cast<char>(c);
    }
    if (in_.bad()) return fail("the file cannot be read to its end");
    return true;
  }
  [[nodiscard]] const std::string& line() const noexcept { return line_; }
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }

 private:
  std::ifstream& in_;
  std::string line_;
  std::int64_t number_ = 0;
};

/// How many records the first line says there are.
result<std::int64_t> read_header(std::string_view line) {
  const auto parsed = http::parse_json(line);
  if (!parsed) return tl::unexpected(parsed.error());
  http::object_reader header(*parsed);
  const auto format = header.required_string("format");
  const auto version = header.integer("version", -1, 0, INT64_MAX);
  const auto records = header.integer("records", -1, 0, INT64_MAX);
  header.integer("groups", 0, 0, INT64_MAX);
  if (const auto problems = header.finish(); !problems.empty()) return fail(http::joined(problems));
  if (format != jsonl_name) return fail(fmt::format("format is '{}', not '{}'", format, jsonl_name));
  if (version != jsonl_version) return fail(fmt::format("version {} is not {}", version, jsonl_version));
  if (records < 0) return fail("records is missing");
  return records;
}

result<void> read_line(const line_reader& from, storage::group_fold& into) {
  const auto record = record_from_json(from.line());
  if (!record) return tl::unexpected(record.error());
  return into.add({from.number(), std::nullopt, record->key, view_of_value(record->value)});
}

result<void> read_lines(line_reader& lines, storage::group_fold& into) {
  auto more = lines.next();
  if (!more) return tl::unexpected(more.error());
  const auto records = *more ? read_header(lines.line()) : fail("the file is empty");
  if (!records) return tl::unexpected(records.error());
  for (more = lines.next(); more && *more; more = lines.next()) {
    if (auto read = read_line(lines, into); !read) return read;
  }
  if (!more) return tl::unexpected(more.error());
  const auto found = lines.number() - 1;
  if (found != *records) return fail(fmt::format("the file ends with {} records of {}", found, *records));
  return {};
}

/// One batch into the fold: its records, or what its markers say.
result<void> add_batch(const protocol::record_batch& batch, storage::group_fold& into) {
  for (const auto& record : batch.records) {
    if (batch.control) {
      const auto commits = protocol::transaction_commits(record);
      if (!commits) return tl::unexpected(commits.error());
      if (*commits) into.end_transaction(batch.producer_id, **commits);
      continue;
    }
    if (!record.key) return fail(fmt::format("offset {}: a record without a key", record.offset));
    const auto producer = batch.transactional ? std::optional(batch.producer_id) : std::nullopt;
    if (auto added = into.add({record.offset, producer, *record.key, record.value}); !added) {
      return fail(fmt::format("offset {}: {}", record.offset, added.error().message));
    }
  }
  return {};
}

/// Reads the next batch into `whole`; empty at the end of the file.
result<void> read_whole_batch(std::ifstream& in, bytes& whole) {
  const auto read = [&](std::size_t from) {
    in.read(reinterpret_cast<char*>(whole.data() + from), static_cast<std::streamsize>(whole.size() - from));
    return static_cast<std::size_t>(in.gcount()) == whole.size() - from;
  };
  whole.resize(protocol::batch_prefix_bytes);
  const bool begun = read(0);
  if (in.bad()) return fail("the file cannot be read to its end");
  if (!begun && in.gcount() == 0) {
    whole.clear();
    return {};
  }
  if (!begun) return fail("the file ends inside a batch");
  const auto size = protocol::batch_size(whole);
  if (!size) return tl::unexpected(size.error());
  whole.resize(*size);
  if (!read(protocol::batch_prefix_bytes)) return fail("the file ends inside a batch");
  return {};
}

/// One more batch: its size, 0 at the end of the file.
result<std::size_t> read_next_batch(std::ifstream& in, storage::group_fold& into, std::int64_t& last_offset) {
  bytes whole;
  if (auto read = read_whole_batch(in, whole); !read) return tl::unexpected(read.error());
  if (whole.empty()) return 0;
  const auto batch = protocol::decode_batch(whole);
  if (!batch) return tl::unexpected(batch.error());
  if (batch->base_offset <= last_offset) {
    return fail(fmt::format("offset {} behind {}: these are not segments of one log in their order", batch->base_offset,
                            last_offset));
  }
  last_offset = batch->last_offset;
  if (auto added = add_batch(*batch, into); !added) return tl::unexpected(added.error());
  return whole.size();
}

}  // namespace

dump_writer::dump_writer(std::ostream& out, dump_format format, dump_size size, std::int64_t now_ms)
    : out_(out), format_(format), now_ms_(now_ms) {
  if (format_ != dump_format::jsonl) return;
  out_ << fmt::format(R"({{"format":"{}","version":{},"groups":{},"records":{}}})", jsonl_name, jsonl_version,
                      size.groups, size.records)
       << '\n';
}

result<void> dump_writer::add(record_bytes record) {
  if (format_ == dump_format::jsonl) {
    const auto line = record_to_json(record.key, view_of_value(record.value));
    if (!line) return tl::unexpected(line.error());
    out_ << *line << '\n';
    return {};
  }
  const auto size = record.key.size() + (record.value ? record.value->size() : 0);
  if (!waiting_.empty() && waiting_bytes_ + size > written_batch_bytes) write_batch();
  waiting_bytes_ += size;
  waiting_.push_back(std::move(record));
  return {};
}

void dump_writer::finish() {
  if (!waiting_.empty()) write_batch();
}

void dump_writer::write_batch() {
  std::vector<protocol::batch_record> records;
  for (const auto& record : waiting_) records.push_back({0, byte_view(record.key), view_of_value(record.value)});
  const auto batch = protocol::encode_batch(next_offset_, now_ms_, records);
  out_.write(reinterpret_cast<const char*>(batch.data()), static_cast<std::streamsize>(batch.size()));
  next_offset_ += static_cast<std::int64_t>(records.size());
  waiting_.clear();
  waiting_bytes_ = 0;
}

result<dump_format> format_of(const std::string& path) {
  auto in = open_to_read(path);
  if (!in) return tl::unexpected(in.error());
  return in->peek() == '{' ? dump_format::jsonl : dump_format::kafka;
}

result<void> read_jsonl(const std::string& path, storage::group_fold& into) {
  auto in = open_to_read(path);
  if (!in) return tl::unexpected(in.error());
  line_reader lines(*in);
  auto read = read_lines(lines, into);
  if (!read) return fail(fmt::format("{}:{}: {}", path, lines.number(), read.error().message));
  return {};
}

result<void> read_segment(const std::string& path, storage::group_fold& into, std::int64_t& last_offset) {
  auto in = open_to_read(path);
  if (!in) return tl::unexpected(in.error());
  for (std::size_t at = 0;;) {
    const auto size = read_next_batch(*in, into, last_offset);
    if (!size) return fail(fmt::format("{}, byte {}: {}", path, at, size.error().message));
    if (*size == 0) return {};
    at += *size;
  }
}

}  // namespace weir::cli
