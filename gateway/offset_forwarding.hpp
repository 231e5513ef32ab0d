// offset_forwarding: offsets of a streams group live upstream under the same group id. Commits and fetches are checked
// here and then sent as those of a simple group (spec 05, 8.5).
#pragma once

#include <memory>

#include "base/result.hpp"
#include "gateway/client_session.hpp"

namespace weir::gateway {

/// Each relays what is not about a streams group of ours. Error: a request that cannot be decoded.
result<void> forward_offset_commit(const std::shared_ptr<client_session>& session, const server::request_in& request);
result<void> forward_txn_offset_commit(const std::shared_ptr<client_session>& session,
                                       const server::request_in& request);
result<void> forward_offset_fetch(const std::shared_ptr<client_session>& session, const server::request_in& request);

}  // namespace weir::gateway
