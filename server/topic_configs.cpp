#include "server/topic_configs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/java_trim.hpp"

namespace weir::server {
namespace {

constexpr auto boolean = config_type::boolean;
constexpr auto string = config_type::string;
constexpr auto int32 = config_type::int32;
constexpr auto int64 = config_type::int64;
constexpr auto float64 = config_type::float64;
constexpr auto list = config_type::list;

constexpr std::string_view cleanup_policies = "compact, delete";
constexpr std::string_view compressions = "uncompressed, zstd, lz4, snappy, gzip, producer";
constexpr std::string_view timestamp_types = "CreateTime, LogAppendTime";
constexpr std::string_view gzip_levels = "-1, 1, 2, 3, 4, 5, 6, 7, 8, 9";
constexpr std::string_view replica_list = "* or a list of PARTITION:BROKER";
constexpr std::string_view disabled = "false";  // there is no tiered storage here
constexpr std::int32_t array_bytes_max = 2'147'483'639;

/// Bounds and choices are those that a Kafka 4.4 broker enforces.
constexpr std::array keys{
    topic_config_key{"cleanup.policy", list, "delete", {}, {}, cleanup_policies},
    topic_config_key{"compression.gzip.level", int32, "-1", {}, {}, gzip_levels},
    topic_config_key{"compression.lz4.level", int32, "9", 1, 17},
    topic_config_key{"compression.type", string, "producer", {}, {}, compressions},
    topic_config_key{"compression.zstd.level", int32, "3", -131'072, 22},
    topic_config_key{"delete.retention.ms", int64, "86400000", 0},
    topic_config_key{"errors.deadletterqueue.group.enable", boolean, "false"},
    topic_config_key{"file.delete.delay.ms", int64, "60000", 0},
    topic_config_key{"flush.messages", int64, "9223372036854775807", 1},
    topic_config_key{"flush.ms", int64, "9223372036854775807", 0},
    topic_config_key{"follower.replication.throttled.replicas", list, "", {}, {}, replica_list},
    topic_config_key{"index.interval.bytes", int32, "4096", 0},
    topic_config_key{"leader.replication.throttled.replicas", list, "", {}, {}, replica_list},
    topic_config_key{"local.retention.bytes", int64, "-2", -2},
    topic_config_key{"local.retention.ms", int64, "-2", -2},
    topic_config_key{"max.compaction.lag.ms", int64, "9223372036854775807", 1},
    topic_config_key{"max.decompressed.message.bytes", int32, "2147483639", 1, array_bytes_max},
    topic_config_key{"max.message.bytes", int32, "1048588", 0},
    topic_config_key{"message.timestamp.after.max.ms", int64, "3600000", 0},
    topic_config_key{"message.timestamp.before.max.ms", int64, "9223372036854775807", 0},
    topic_config_key{"message.timestamp.type", string, "CreateTime", {}, {}, timestamp_types},
    topic_config_key{"min.cleanable.dirty.ratio", float64, "0.5", 0, 1},
    topic_config_key{"min.compaction.lag.ms", int64, "0", 0},
    topic_config_key{"min.insync.replicas", int32, "1", 1},
    topic_config_key{"preallocate", boolean, "false"},
    topic_config_key{"remote.copy.lag.bytes", int64, "-1", -1},
    topic_config_key{"remote.copy.lag.ms", int64, "0", -1},
    topic_config_key{"remote.log.copy.disable", boolean, "false"},
    topic_config_key{"remote.log.delete.on.disable", boolean, "false"},
    topic_config_key{"remote.storage.enable", boolean, "false", {}, {}, disabled},
    topic_config_key{"retention.bytes", int64, "-1"},
    topic_config_key{"retention.ms", int64, "604800000", -1},
    topic_config_key{"segment.bytes", int32, "1073741824", 1'048'576},
    topic_config_key{"segment.index.bytes", int32, "10485760", 4},
    topic_config_key{"segment.jitter.ms", int64, "0", 0},
    topic_config_key{"segment.ms", int64, "604800000", 1},
    topic_config_key{"unclean.leader.election.enable", boolean, "false"},
};

template <class Number>
std::optional<Number> read_number(std::string_view text) noexcept {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  if (java_trim(text).empty()) return items;
  for (;;) {
    const auto comma = text.find(',');
    items.push_back(java_trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

bool is_among(std::string_view choices, std::string_view value) {
  return std::ranges::count(items_of(choices), value) > 0;
}

template <class Number>
bool is_number(const topic_config_key& key, std::string_view text) {
  const auto number = read_number<Number>(text);
  if (!number) return false;
  if (!key.choices.empty()) return is_among(key.choices, std::to_string(*number));
  return (!key.least || *number >= static_cast<Number>(*key.least)) &&
         (!key.most || *number <= static_cast<Number>(*key.most));
}

bool is_boolean(const topic_config_key& key, std::string_view text) {
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return is_among(key.choices.empty() ? "true, false" : key.choices, lower);
}

bool is_replica(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == text.size()) return false;
  return std::ranges::all_of(text.substr(0, colon), is_digit) && std::ranges::all_of(text.substr(colon + 1), is_digit);
}

bool is_list(const topic_config_key& key, std::string_view text) {
  const auto items = items_of(text);
  if (key.choices != replica_list) {
    return std::ranges::all_of(items, [&](auto item) { return is_among(key.choices, item); });
  }
  return text == "*" || std::ranges::all_of(items, is_replica);
}

bool is_allowed(const topic_config_key& key, std::string_view value) {
  switch (key.type) {
    case config_type::boolean: return is_boolean(key, value);
    case config_type::int32: return is_number<std::int32_t>(key, value);
    case config_type::int64: return is_number<std::int64_t>(key, value);
    case config_type::float64: return is_number<double>(key, value);
    case config_type::string: return is_among(key.choices, value);
    case config_type::list: return is_list(key, value);
  }
  return false;
}

/// What is_allowed wants, in words.
std::string allowed(const topic_config_key& key) {
  if (key.choices == replica_list) return std::string(key.choices);
  if (!key.choices.empty()) {
    return fmt::format("{} {}", key.type == list ? "a list of" : "one of", key.choices);
  }
  if (key.type == boolean) return "true or false";
  const auto bits = key.type == int32 ? "32 bit number" : key.type == int64 ? "64 bit number" : "number";
  if (key.most) return fmt::format("a {} from {} to {}", bits, *key.least, *key.most);
  return key.least ? fmt::format("a {}, at least {}", bits, *key.least) : fmt::format("a {}", bits);
}

/// Enough of what a client sent to find it again.
std::string_view shown(std::string_view text) { return text.substr(0, 200); }

std::int64_t number_of(const config_map& set, std::string_view name) {
  const auto found = set.find(name);
  const auto value = found == set.end() ? find_topic_config(name)->standard : std::string_view(found->second);
  return read_number<std::int64_t>(java_trim(value)).value();
}

}  // namespace

std::span<const topic_config_key> topic_config_keys() noexcept { return keys; }

const topic_config_key* find_topic_config(std::string_view name) noexcept {
  const auto* const found = std::ranges::lower_bound(keys, name, {}, &topic_config_key::name);
  return found != keys.end() && found->name == name ? found : nullptr;
}

std::optional<std::string> check_topic_configs(const config_map& set) {
  for (const auto& [name, value] : set) {
    if (find_topic_config(name) == nullptr) return fmt::format("Unknown topic config name: {}", shown(name));
  }
  for (const auto& [name, value] : set) {
    const auto& key = *find_topic_config(name);
    if (is_allowed(key, java_trim(value))) continue;
    return fmt::format("Invalid value {} for configuration {}: it must be {}.", shown(value), name, allowed(key));
  }
  const auto least = number_of(set, "min.compaction.lag.ms");
  const auto most = number_of(set, "max.compaction.lag.ms");
  if (least <= most) return std::nullopt;
  return fmt::format("Invalid value {} for configuration min.compaction.lag.ms: max.compaction.lag.ms is {}.", least,
                     most);
}

}  // namespace weir::server
