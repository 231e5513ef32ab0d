// api_offer: the ApiVersions answer of the gateway: what the upstream offers, cut to what has been checked, plus the
// streams group APIs (spec 05, 8.3).
#pragma once

#include <memory>

#include "base/result.hpp"
#include "gateway/client_session.hpp"
#include "protocol/api_versions.hpp"
#include "protocol/messages/api_versions_response.hpp"

namespace weir::gateway {

/// What a client of the gateway is offered, given the upstream's own answer.
[[nodiscard]] protocol::api_offer offer_from(const protocol::api_versions_response& upstream);

/// Asks the upstream on the client's connection and answers. Error: a request that cannot be decoded.
result<void> answer_api_versions(const std::shared_ptr<client_session>& session, const server::request_in& request);

}  // namespace weir::gateway
