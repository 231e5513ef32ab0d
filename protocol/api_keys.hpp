// The APIs of Kafka: names, which header goes with which version, and the versions our schemas know. Spec 05, 1.1.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/messages/api_list.hpp"

namespace weir::protocol {

/// The row of an API, or nullptr if the key is unknown.
[[nodiscard]] const api_row* find_api(std::int16_t key) noexcept;
/// Kafka's name ("StreamsGroupHeartbeat"), or "unknown".
[[nodiscard]] std::string_view api_name(std::int16_t key) noexcept;
/// The number on the wire.
[[nodiscard]] constexpr std::int16_t key_of(api key) noexcept { return static_cast<std::int16_t>(key); }

/// 1, or 2 for a flexible version (which need not be one that is known).
[[nodiscard]] constexpr std::int16_t request_header_version(const api_row& row, std::int16_t version) noexcept {
  return version >= row.flexible_from ? 2 : 1;
}
/// 0, or 1 for a flexible version; ApiVersions answers always have 0.
[[nodiscard]] constexpr std::int16_t response_header_version(const api_row& row, std::int16_t version) noexcept {
  return version >= row.flexible_from && row.key != api::api_versions ? 1 : 0;
}

}  // namespace weir::protocol
