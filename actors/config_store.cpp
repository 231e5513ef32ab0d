#include "actors/config_store.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::actors {

namespace {

constexpr std::int16_t overrides_version = 0;
constexpr std::size_t entry_bytes_min = 2;
constexpr std::string_view drained_prefix = "drained:";

error unreadable(std::string_view group_id) {
  return {"settings of group " + std::string(group_id) + " in the log cannot be read"};
}

}  // namespace

result<void> config_store::load(storage::record_log& log) {
  result<void> outcome;
  auto read = log.read_table(storage::table::group_configs, [&](std::string_view group_id, std::string_view value) {
    auto settings = decode_settings(value);
    if (!settings) {
      outcome = tl::unexpected(unreadable(group_id));
      return;
    }
    set(group_id, *std::move(settings));
  });
  return read ? outcome : read;
}

result<void> config_store::reload(storage::record_log& log, std::string_view group_id) {
  auto value = log.read_value(storage::table::group_configs, group_id);
  if (!value) return tl::unexpected(value.error());
  auto settings = *value ? decode_settings(**value) : group_settings();
  if (!settings) return tl::unexpected(unreadable(group_id));
  set(group_id, *std::move(settings));
  return {};
}

group_settings config_store::get(std::string_view group_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_group_.find(group_id);
  return found == by_group_.end() ? group_settings{} : found->second;
}

std::vector<std::string> config_store::group_ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [group_id, settings] : by_group_) {
    if (!settings.overrides.empty()) out.push_back(group_id);
  }
  return out;
}

std::vector<std::pair<std::string, group::overrides>> config_store::all_overrides() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, group::overrides>> out;
  for (const auto& [group_id, settings] : by_group_) {
    if (!settings.overrides.empty()) out.emplace_back(group_id, settings.overrides);
  }
  return out;
}

void config_store::set(std::string_view group_id, group_settings settings) {
  const std::lock_guard lock(mutex_);
  if (settings.empty()) {
    by_group_.erase(std::string(group_id));
  } else {
    by_group_.insert_or_assign(std::string(group_id), std::move(settings));
  }
}

storage::table_write config_store::to_write(std::string_view group_id, const group_settings& settings) {
  storage::table_write write;
  write.in = storage::table::group_configs;
  write.key = group_id;
  if (!settings.empty()) write.value = encode_settings(settings);
  return write;
}

std::string encode_settings(const group_settings& settings) {
  bytes data;
  protocol::wire::writer out(data);
  out.int16(overrides_version);
  out.varint(static_cast<std::uint32_t>(settings.overrides.size() + settings.drained.size()) + 1);
  for (const auto& [name, value] : settings.overrides) {
    out.string(name, true);
    out.string(value, true);
  }
  for (const auto& process_id : settings.drained) {
    out.string(std::string(drained_prefix) + process_id, true);
    out.string(std::string(), true);
  }
  return {data.begin(), data.end()};
}

std::optional<group_settings> decode_settings(std::string_view data) {
  protocol::wire::reader in({reinterpret_cast<const std::uint8_t*>(data.data()), data.size()});
  if (in.int16() != overrides_version) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> entries;
  in.array(true, entry_bytes_min, entries, [&](auto& entry) {
    entry.first = in.string(true).str();
    entry.second = in.string(true).str();
  });
  if (!in.ok() || in.left() > 0) return std::nullopt;
  group_settings settings;
  for (auto& [name, value] : entries) {
    if (name.starts_with(drained_prefix)) {
      settings.drained.insert(name.substr(drained_prefix.size()));
    } else {
      settings.overrides.insert_or_assign(std::move(name), std::move(value));
    }
  }
  return settings;
}

}  // namespace weir::actors
