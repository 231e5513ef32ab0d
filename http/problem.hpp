// Errors as RFC 9457 problem documents. They carry Kafka's error beside HTTP's: name and code, and the pair
// {error_code, message} that scripts against other HTTP front ends of Kafka know.
#pragma once

#include <string>
#include <string_view>

#include "http/request.hpp"
#include "protocol/error_codes.hpp"

namespace weir::http {

/// The title is HTTP's phrase for the status. `detail` says what happened and what to do. A 503 passes: it carries
/// `Retry-After` (seconds).
[[nodiscard]] response problem(int status, std::string_view detail);
/// With Kafka's error, whose number also becomes error_code.
[[nodiscard]] response problem(int status, std::string_view detail, protocol::error_code error);
/// The HTTP status that fits a Kafka error: 404 for unknown things, 409 for what exists or is in use, 503 for what
/// passes.
[[nodiscard]] int status_of(protocol::error_code error) noexcept;

}  // namespace weir::http
