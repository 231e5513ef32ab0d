// Who holds which task, over all members: kept up to date by apply(), read by the reconciler (spec 01, 8.2).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "group/streams_group.hpp"

namespace weir::group {

/// Adds what the assignment holds, assigned and pending, for the process.
void hold(holders& held, const std::string& process_id, const current_assignment& current);

/// Takes it out again. Only while is_exclusive(): otherwise somebody else may hold the same, and the maps must be made
/// anew.
void release(holders& held, const std::string& process_id, const current_assignment& current);

/// No task is claimed by two members (active), or by two members of one process (standby, warm-up).
[[nodiscard]] bool is_exclusive(const holders& held) noexcept;

/// From scratch, O(tasks of all members).
[[nodiscard]] holders held_by(const std::map<std::string, member, std::less<>>& members);

}  // namespace weir::group
