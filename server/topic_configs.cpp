#include "server/topic_configs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>

namespace weir::server {
namespace {

constexpr auto boolean = config_type::boolean;
constexpr auto string = config_type::string;
constexpr auto int32 = config_type::int32;
constexpr auto int64 = config_type::int64;
constexpr auto float64 = config_type::float64;
constexpr auto list = config_type::list;

constexpr std::array keys{
    topic_config_key{"cleanup.policy", list, "delete"},
    topic_config_key{"compression.gzip.level", int32, "-1"},
    topic_config_key{"compression.lz4.level", int32, "9"},
    topic_config_key{"compression.type", string, "producer"},
    topic_config_key{"compression.zstd.level", int32, "3"},
    topic_config_key{"delete.retention.ms", int64, "86400000"},
    topic_config_key{"errors.deadletterqueue.group.enable", boolean, "false"},
    topic_config_key{"file.delete.delay.ms", int64, "60000"},
    topic_config_key{"flush.messages", int64, "9223372036854775807"},
    topic_config_key{"flush.ms", int64, "9223372036854775807"},
    topic_config_key{"follower.replication.throttled.replicas", list, ""},
    topic_config_key{"index.interval.bytes", int32, "4096"},
    topic_config_key{"leader.replication.throttled.replicas", list, ""},
    topic_config_key{"local.retention.bytes", int64, "-2"},
    topic_config_key{"local.retention.ms", int64, "-2"},
    topic_config_key{"max.compaction.lag.ms", int64, "9223372036854775807"},
    topic_config_key{"max.decompressed.message.bytes", int32, "2147483639"},
    topic_config_key{"max.message.bytes", int32, "1048588"},
    topic_config_key{"message.timestamp.after.max.ms", int64, "3600000"},
    topic_config_key{"message.timestamp.before.max.ms", int64, "9223372036854775807"},
    topic_config_key{"message.timestamp.type", string, "CreateTime"},
    topic_config_key{"min.cleanable.dirty.ratio", float64, "0.5"},
    topic_config_key{"min.compaction.lag.ms", int64, "0"},
    topic_config_key{"min.insync.replicas", int32, "1"},
    topic_config_key{"preallocate", boolean, "false"},
    topic_config_key{"remote.copy.lag.bytes", int64, "-1"},
    topic_config_key{"remote.copy.lag.ms", int64, "0"},
    topic_config_key{"remote.log.copy.disable", boolean, "false"},
    topic_config_key{"remote.log.delete.on.disable", boolean, "false"},
    topic_config_key{"remote.storage.enable", boolean, "false"},
    topic_config_key{"retention.bytes", int64, "-1"},
    topic_config_key{"retention.ms", int64, "604800000"},
    topic_config_key{"segment.bytes", int32, "1073741824"},
    topic_config_key{"segment.index.bytes", int32, "10485760"},
    topic_config_key{"segment.jitter.ms", int64, "0"},
    topic_config_key{"segment.ms", int64, "604800000"},
    topic_config_key{"unclean.leader.election.enable", boolean, "false"},
};

template <class Int>
bool is_number(std::string_view text) noexcept {
  Int value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_float(const std::string& text) noexcept {
  char* end = nullptr;
  errno = 0;
  std::strtod(text.c_str(), &end);
  return !text.empty() && errno == 0 && *end == '\0';
}

bool is_of(config_type type, const std::string& value) noexcept {
  switch (type) {
    case config_type::boolean: return value == "true" || value == "false";
    case config_type::int32: return is_number<std::int32_t>(value);
    case config_type::int64: return is_number<std::int64_t>(value);
    case config_type::float64: return is_float(value);
    case config_type::string:
    case config_type::list: return true;
  }
  return false;
}

std::string_view name_of(config_type type) noexcept {
  switch (type) {
    case config_type::boolean: return "true or false";
    case config_type::int32: return "a 32 bit number";
    case config_type::int64: return "a 64 bit number";
    case config_type::float64: return "a number";
    case config_type::string:
    case config_type::list: break;
  }
  return "text";
}

}  // namespace

std::span<const topic_config_key> topic_config_keys() noexcept { return keys; }

const topic_config_key* find_topic_config(std::string_view name) noexcept {
  const auto* const found = std::ranges::lower_bound(keys, name, {}, &topic_config_key::name);
  return found != keys.end() && found->name == name ? found : nullptr;
}

std::optional<std::string> check_topic_configs(const config_map& set) {
  for (const auto& [name, value] : set) {
    const auto* const key = find_topic_config(name);
    if (key == nullptr) return "Unknown topic config name: " + name;
    if (!is_of(key->type, value)) {
      return "Invalid value " + value + " for configuration " + name + ": it must be " +
             std::string(name_of(key->type));
    }
  }
  return std::nullopt;
}

}  // namespace weir::server
