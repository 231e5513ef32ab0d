// fenced: what a producer is told that another one has replaced, by the version of its request.
#pragma once

#include <cstdint>

#include "protocol/error_codes.hpp"

namespace weir::server::handlers {

/// Clients that speak versions before `from` do not know PRODUCER_FENCED: they are told INVALID_PRODUCER_EPOCH.
[[nodiscard]] constexpr protocol::error_code fenced_in(protocol::error_code code, std::int16_t version,
                                                       std::int16_t from = 2) noexcept {
  const bool is_old = version < from && code == protocol::error_code::producer_fenced;
  return is_old ? protocol::error_code::invalid_producer_epoch : code;
}

}  // namespace weir::server::handlers
