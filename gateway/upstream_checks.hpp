// upstream_checks: what the gateway asks of the upstream, on the client's own connection, before it serves a group:
// whose id it is, and what the client may see.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "gateway/client_session.hpp"

namespace weir::gateway {

/// Whether a streams group may be made under that id (spec 05, 8.7): GROUP_ID_NOT_FOUND, like the real coordinator, if
/// the upstream has a live classic group, or any consumer, share or streams group, of that name.
void check_id_is_free(const std::shared_ptr<client_session>& session, const server::request_in& request,
                      std::string_view group_id, client_session::permission then);

/// Those of the topics that the principal may not DESCRIBE. Error: the upstream did not say.
void find_forbidden_topics(const std::shared_ptr<client_session>& session, const server::request_in& request,
                           const std::set<std::string>& topics,
                           std::function<void(result<std::set<std::string>>)> then);

/// Those of the groups that the principal may DESCRIBE; with DESCRIBE on the cluster, all (spec 05, 4.8). Error: the
/// upstream did not say.
void find_visible_groups(const std::shared_ptr<client_session>& session, const server::request_in& request,
                         std::set<std::string> groups, std::function<void(result<std::set<std::string>>)> then);

}  // namespace weir::gateway
