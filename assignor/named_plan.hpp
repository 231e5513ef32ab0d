// A plan with names, for people and for what is stored: flat_plan (assignor.hpp) is the same in numbers.
#pragma once

#include <map>
#include <string>

#include "assignor/assignor.hpp"
#include "base/result.hpp"

namespace weir::assignor {

/// What one member shall hold. No entry of a task set is empty (spec 01, X4).
struct member_plan {
  task_set active;
  task_set standby;

  bool operator==(const member_plan&) const = default;
};

/// Member id -> its plan. Every member of the group is present, also one that gets nothing.
using plan = std::map<std::string, member_plan, std::less<>>;

/// The plan must be one for the input.
[[nodiscard]] plan named(const flat_plan& flat, const group_input& input);

/// Fails if the plan names members, subtopologies or partitions that do not exist, or leaves out a member (T2 and T3 of
/// spec 03, 9.1).
[[nodiscard]] result<flat_plan> numbered(const plan& listed, const group_input& input);

}  // namespace weir::assignor
