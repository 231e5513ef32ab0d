// GET /v1/groups/{group}/members and /members/{member}.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

/// `groups` must outlive the router.
void add_members(router& to, actors::coordinator& groups);

[[nodiscard]] response no_such_member(const std::string& name);

/// The id of the member of that id, or of the static member of that instance id. Otherwise the answer: 404 if there is
/// none, 409 if these are two.
[[nodiscard]] tl::expected<std::string, response> find_member(const group::streams_group& group,
                                                              const std::string& name);

}  // namespace weir::http
