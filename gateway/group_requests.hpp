// group_requests: the APIs that name a group. A streams group of ours is served here, any other id is relayed (spec 05,
// 8.4, classes L and G).
#pragma once

#include <memory>

#include "base/result.hpp"
#include "gateway/client_session.hpp"

namespace weir::gateway {

/// Error: a request that cannot be decoded.
result<void> handle_group_request(const std::shared_ptr<client_session>& session, const server::request_in& request);

}  // namespace weir::gateway
