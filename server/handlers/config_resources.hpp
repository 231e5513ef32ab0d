// Numbers of the configuration APIs (32, 44), and the broker's settings as those APIs show them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "group/config.hpp"
#include "server/topic_configs.hpp"

namespace weir::server::handlers {

namespace config_resource {
inline constexpr std::int8_t topic = 2;
inline constexpr std::int8_t broker = 4;
inline constexpr std::int8_t broker_logger = 8;
inline constexpr std::int8_t client_metrics = 16;
inline constexpr std::int8_t group = 32;
}  // namespace config_resource

namespace config_source {
inline constexpr std::int8_t topic = 1;
inline constexpr std::int8_t dynamic_default_broker = 3;
inline constexpr std::int8_t static_broker = 4;
inline constexpr std::int8_t standard = 5;
inline constexpr std::int8_t group = 8;
}  // namespace config_source

/// One `group.streams.*` setting of the broker.
struct broker_setting {
  std::string_view name;
  config_type type;
  std::string value;
  bool changed;  ///< differs from Kafka's default
};

/// All of them, ascending by name (spec 01, 10.1).
[[nodiscard]] std::vector<broker_setting> broker_settings(const group::broker_config& broker);

/// The type of a group setting (`streams.*`).
[[nodiscard]] config_type type_of_group_setting(const group::group_config_key& key) noexcept;

}  // namespace weir::server::handlers
