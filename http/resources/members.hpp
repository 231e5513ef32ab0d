// GET /v1/groups/{group}/members and /members/{member}.
#pragma once

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// `groups` must outlive the router.
void add_members(router& to, actors::coordinator& groups);

/// The id of the member of that id, or else of the static member of that instance id; null if there is none.
[[nodiscard]] const std::string* find_member(const group::streams_group& group, const std::string& name);

/// 404: the group has no such member.
[[nodiscard]] response no_such_member(const std::string& name);

}  // namespace weir::http
