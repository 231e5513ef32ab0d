// group_description: StreamsGroupDescribe through the gateway (spec 05, 4.9): the groups are ours, the rights on them
// and on their topics are the upstream's matter.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "gateway/client_session.hpp"

namespace weir::gateway {

/// Error: a request that cannot be decoded or names too many groups.
result<void> describe_streams_groups(const std::shared_ptr<client_session>& session, const server::request_in& request);

}  // namespace weir::gateway
