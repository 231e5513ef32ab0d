// All committed offsets of one group, as the upstream tells them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "group/record.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/offset_fetch_response.hpp"

namespace weir::gateway {

/// The newest version that asks for one group, and the oldest that can ask for all of its offsets.
inline constexpr std::int16_t all_offsets_version = 7;
inline constexpr std::int16_t all_offsets_from = 2;

/// The question; it views the id.
[[nodiscard]] protocol::offset_fetch_request all_offsets_of(std::string_view group_id);

/// Topic -> partition -> what was committed there. Error: the upstream refused all or a partition of it, in words.
[[nodiscard]] result<std::map<std::string, std::map<std::int32_t, group::committed_offset>, std::less<>>> committed_in(
    const protocol::offset_fetch_response& answer);

}  // namespace weir::gateway
