// Topology descriptions (KIP-1331): what a member says its application looks like inside, kept with the group and told
// by describe. Spec 05, 4.10; spec 04, 14; spec 01, 5.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "group/outcome.hpp"
#include "group/refusal.hpp"
#include "group/streams_group.hpp"
#include "protocol/messages/streams_group_describe_response.hpp"
#include "protocol/messages/streams_group_topology_description_update_request.hpp"

namespace weir::group {

/// A longer one is refused for good, so members are not asked for it again.
inline constexpr std::size_t description_bytes_max = std::size_t{1} << 20;

struct description_outcome {
  std::optional<refusal> refused;
  group::records records;  ///< may be there although it is refused: that it is refused for good
};
/// Checks in Kafka's order, then stores the description and the epoch it is for.
[[nodiscard]] description_outcome store_description(
    const streams_group& group, const protocol::streams_group_topology_description_update_request& request);

/// Whether a member of the group's topology shall be asked for the description now.
[[nodiscard]] bool wants_description(const streams_group& group, std::int64_t now_ms) noexcept;
/// The back-off that asking starts: 30 s, doubled each time up to an hour.
[[nodiscard]] description_back_off after_asking(const streams_group& group, std::int64_t now_ms) noexcept;

/// The stored description of the current topology; nothing if there is none.
[[nodiscard]] std::optional<protocol::streams_group_describe_response::topology_description_data> stored_description(
    const streams_group& group);

}  // namespace weir::group
