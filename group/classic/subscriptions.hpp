// What the members of a classic consumer group have subscribed to, read from what they say for their protocol.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "group/classic/members.hpp"

namespace weir::group {

/// The topics of all members. Nothing: not known, because they have no protocol yet, or do not speak the consumer's.
/// O(members).
[[nodiscard]] std::optional<std::set<std::string, std::less<>>> subscribed_topics(const classic_members& group);

}  // namespace weir::group
