// Resources that are about one group: its view, or the problem that there is none.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/coordinator.hpp"
#include "http/router.hpp"

namespace weir::http {

using group_view_ptr = std::shared_ptr<const group::group_view>;

/// Why there is nothing of a group to show: 404 if there is no such group, 503 if it cannot be asked now.
[[nodiscard]] response no_view(const std::string& id, protocol::error_code why);

/// Calls `found` with the view of the group, or answers: 404 if there is no such group, 503 if it cannot be asked now.
void with_group(actors::coordinator& groups, const std::string& id, const respond& answer,
                std::function<void(const group_view_ptr&)> found);
/// The same for a streams group, without its timeline; any other kind is answered 404.
void with_streams_group(actors::coordinator& groups, const std::string& id, const respond& answer,
                        std::function<void(const group_view_ptr&)> found);
/// The same with that one member only, by id or instance id, if it is there.
void with_member_of(actors::coordinator& groups, const std::string& id, const std::string& member,
                    const respond& answer, std::function<void(const group_view_ptr&)> found);
/// Likewise with what probes ask for.
void with_health(actors::coordinator& groups, const std::string& id, const std::string& member, const respond& answer,
                 std::function<void(const group::health_view&)> found);

/// Whether `?dry_run` says true. Error: it says neither true nor false.
[[nodiscard]] result<bool> is_dry_run(const request& asked);

/// What an administrator's request was refused with: 412, 409, 404, or as status_of().
[[nodiscard]] response refused_change(const protocol::kafka_error& why);

}  // namespace weir::http
