#include "actors/group_defaults.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "group/defaults.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::actors {

namespace {

using protocol::error_code;

constexpr std::string_view defaults_key = "group.defaults";
constexpr std::int16_t defaults_version = 0;
constexpr std::size_t pair_bytes_min = 2;
constexpr std::size_t change_bytes_min = 10;
constexpr std::size_t field_bytes_min = 3;

}  // namespace

protocol::kafka_result<defaults_ptr> defaults_after(
    const group_defaults& now, const group::broker_config& configured, const defaults_request& asked,
    const std::vector<std::pair<std::string, group::overrides>>& own, std::int64_t time_ms) {
  auto set = group::overrides_after(now.set, asked.change, configured);
  if (!set) return tl::unexpected(std::move(set.error()));
  auto next = std::make_shared<group_defaults>(now);
  next->broker = group::with_defaults(*set, configured);
  for (const auto& [group_id, overrides] : own) {
    const auto checked = group::check(overrides, next->broker);
    if (checked || !group::check(overrides, now.broker)) continue;
    return protocol::refuse(error_code::invalid_config,
                            "with the settings of group " + group_id + ": " + checked.error().message);
  }
  auto changes = group::differences(now.set, *set);
  if (changes.empty()) return defaults_ptr(std::move(next));
  next->set = *std::move(set);
  next->history.insert(next->history.begin(), {time_ms, asked.by, std::move(changes)});
  if (next->history.size() > defaults_history_max) next->history.pop_back();
  return defaults_ptr(std::move(next));
}

defaults_store::defaults_store(group::broker_config configured) : configured_(std::move(configured)) {
  current_ = std::make_shared<const group_defaults>(group_defaults{.set = {}, .broker = configured_, .history = {}});
}

result<void> defaults_store::load(storage::record_log& log) {
  const auto value = log.read_value(storage::table::meta, defaults_key);
  if (!value) return tl::unexpected(value.error());
  if (!*value) return {};
  auto read = decode_defaults(**value);
  if (!read) return fail("the defaults of groups in the log cannot be read");
  read->broker = group::with_defaults(read->set, configured_);
  if (const auto fits = read->broker.check(); !fits) {
    log::warn("defaults of groups that were set at run time do not fit the configuration: they are not in force",
              {{"reason", fits.error().message}});
    read->set.clear();
    read->broker = configured_;
  }
  const std::lock_guard lock(mutex_);
  current_ = std::make_shared<const group_defaults>(*std::move(read));
  return {};
}

defaults_ptr defaults_store::get() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

bool defaults_store::begin_change() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(changing_, true);
}

void defaults_store::end_change(defaults_ptr next) {
  const std::lock_guard lock(mutex_);
  changing_ = false;
  if (next != nullptr) current_ = std::move(next);
}

storage::table_write defaults_store::to_write(const group_defaults& defaults) {
  return {storage::table::meta, std::string(defaults_key), encode_defaults(defaults)};
}

std::string encode_defaults(const group_defaults& defaults) {
  bytes data;
  protocol::wire::writer out(data);
  const auto count = [&out](std::size_t entries) { out.varint(static_cast<std::uint32_t>(entries) + 1); };
  out.int16(defaults_version);
  count(defaults.set.size());
  for (const auto& [name, value] : defaults.set) {
    out.string(name, true);
    out.string(value, true);
  }
  count(defaults.history.size());
  for (const auto& change : defaults.history) {
    out.int64(change.time_ms);
    out.string(change.by, true);
    count(change.changes.size());
    for (const auto& field : change.changes) {
      out.string(field.what, true);
      out.string(field.before, true);
      out.string(field.after, true);
    }
  }
  return {data.begin(), data.end()};
}

std::optional<group_defaults> decode_defaults(std::string_view data) {
  protocol::wire::reader in({reinterpret_cast<const std::uint8_t*>(data.data()), data.size()});
  if (in.int16() != defaults_version) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> entries;
  in.array(true, pair_bytes_min, entries, [&](auto& entry) {
    entry.first = in.string(true).str();
    entry.second = in.string(true).str();
  });
  group_defaults out;
  in.array(true, change_bytes_min, out.history, [&](defaults_change& change) {
    change.time_ms = in.int64();
    change.by = in.string(true).str();
    in.array(true, field_bytes_min, change.changes, [&](group::field_change& field) {
      field.what = in.string(true).str();
      field.before = in.string(true).str();
      field.after = in.string(true).str();
    });
  });
  if (!in.ok() || in.left() > 0) return std::nullopt;
  out.set.insert(std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
  return out;
}

}  // namespace weir::actors
