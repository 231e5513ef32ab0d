// Writing JSON (Boost.JSON keeps the order in which members were added, so answers are stable).
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>

#include "http/request.hpp"

namespace weir::http {

[[nodiscard]] response json_response(const boost::json::value& body, int status = 200);

/// `2026-01-02T03:04:05.678Z`
[[nodiscard]] std::string utc_time(std::int64_t milliseconds_since_epoch);

}  // namespace weir::http
