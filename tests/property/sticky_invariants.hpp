// The invariants S1 to S10 of spec 03, section 4.1, written against plain maps and not with the assignor room's own
// checks. They hold in every result of `sticky`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor::test {

/// Names the first invariant the plan breaks and says how; empty if it breaks none.
std::string broken_invariant(const plan& made, const owned_group& group);

/// Of these, the ones that every assignor must keep: S1 to S6.
std::string broken_copies(const plan& made, const owned_group& group);

/// Active tasks of each member, 0 if it has none.
std::map<std::string, std::int64_t> active_per_member(const plan& made);

/// Active tasks of each process.
std::map<std::string, std::int64_t> active_per_process(const plan& made, const owned_group& group);

/// Tasks of the topology.
std::int64_t task_count(const owned_group& group);

/// Active tasks the members of the group had before, and have in the plan no more; tasks that no longer exist are left
/// out.
std::map<std::string, std::int64_t> active_lost(const plan& made, const owned_group& group);

/// The group in the format of the golden statistics (spec 03, section 5): to keep a failing case.
std::string to_scenario(const owned_group& group);

}  // namespace weir::assignor::test
