// topic_configs: the configuration names a topic may have, their types, defaults and bounds, as in Kafka 4.4. The
// embedded catalogue keeps and checks the values; nothing here acts on them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir::server {

/// Values of DescribeConfigsResponse.ConfigType.
enum class config_type : std::int8_t { boolean = 1, string = 2, int32 = 3, int64 = 5, float64 = 6, list = 7 };

struct topic_config_key {
  std::string_view name;
  config_type type;
  std::string_view standard;                ///< the value of a topic that does not set it
  std::optional<std::int64_t> least = {};   ///< of a number
  std::optional<std::int64_t> most = {};    ///< likewise; never without `least`
  std::string_view choices = {};            ///< "a, b": nothing else is a value, or an item of a list
};

/// Ascending by name.
[[nodiscard]] std::span<const topic_config_key> topic_config_keys() noexcept;
/// Nullptr if there is no such name.
[[nodiscard]] const topic_config_key* find_topic_config(std::string_view name) noexcept;

/// Values by name.
using config_map = std::map<std::string, std::string, std::less<>>;

/// Why the set is refused (INVALID_CONFIG 40), in words that name the key, the value and what
/// is allowed; nothing if a Kafka broker without tiered storage would take it.
[[nodiscard]] std::optional<std::string> check_topic_configs(const config_map& set);

}  // namespace weir::server
