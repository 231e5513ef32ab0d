// Base64 with padding: how Kafka's JSON form writes bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::cli {

[[nodiscard]] std::string to_base64(std::string_view data);
/// Nothing if it is not what to_base64() makes.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view encoded);

}  // namespace weir::cli
