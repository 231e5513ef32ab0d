// Writing JSON (Boost.JSON keeps the order in which members were added, so answers are stable).
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "http/json_value.hpp"
#include "http/request.hpp"

namespace weir::http {

/// The text, or null if it is empty.
[[nodiscard]] inline boost::json::value or_null(const std::string& text) {
  return text.empty() ? boost::json::value() : boost::json::value(text);
}
/// What is there, or null.
template <class T>
[[nodiscard]] boost::json::value or_null(const std::optional<T>& what) {
  return what ? boost::json::value(*what) : boost::json::value();
}

/// What was read, to be written again.
[[nodiscard]] std::string json_text(const json_value& from);

[[nodiscard]] response json_response(const boost::json::value& body, int status = 200);

/// `2026-01-02T03:04:05.678Z`
[[nodiscard]] std::string utc_time(std::int64_t milliseconds_since_epoch);

}  // namespace weir::http
