// route_table: what the gateway does with each API (spec 05, 8.3 and 8.4). The one place that lists them.
#pragma once

#include <cstdint>
#include <span>

namespace weir::gateway {

enum class route : std::uint8_t {
  relay,    ///< bytes to the upstream broker and back
  rewrite,  ///< relayed; addresses in the answer are replaced by the gateway's
  topics,   ///< relayed; the metadata is read again afterwards
  group,    ///< a streams group of ours is served here, any other is relayed
  local,    ///< answered here
};

/// One API that the gateway offers. An API that is not listed is not offered: it may carry addresses or rights over
/// groups that nobody has checked.
struct route_row {
  std::int16_t key;
  route how;
  std::int16_t min_version;  ///< the lowest version relayed safely
  std::int16_t max_version;  ///< the highest version whose layout has been checked for addresses
  /// Versions up to max_version are offered even if the upstream has less; the gateway rewrites.
  bool raised;
};

[[nodiscard]] std::span<const route_row> routes() noexcept;
/// Null if the API is not offered.
[[nodiscard]] const route_row* find_route(std::int16_t key) noexcept;

}  // namespace weir::gateway
