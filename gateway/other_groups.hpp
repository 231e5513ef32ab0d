// other_groups: APIs of classic and consumer groups, and those that list or delete groups of any kind, so that a group
// id belongs to one coordinator only (spec 05, 4.7 and 8.7).
#pragma once

#include <memory>

#include "base/result.hpp"
#include "gateway/client_session.hpp"

namespace weir::gateway {

/// Whether a group of ours has no members: `none`, NON_EMPTY_GROUP, or COORDINATOR_NOT_AVAILABLE if it does not tell
/// what it is right now, for it may be live. `then` is called on the session's thread.
void check_is_empty(const std::shared_ptr<client_session>& session, const text& group_id,
                    client_session::permission then);

/// ListGroups: the upstream's list without our ids, then ours.
result<void> merge_list_groups(const std::shared_ptr<client_session>& session, const server::request_in& request);
/// DeleteGroups: ours are deleted upstream (their offsets) and then here; the rest is the upstream's.
result<void> split_delete_groups(const std::shared_ptr<client_session>& session, const server::request_in& request);
/// Everything else that names a group: refused for a streams group of ours, else relayed.
result<void> refuse_other_protocols(const std::shared_ptr<client_session>& session, const server::request_in& request);

}  // namespace weir::gateway
