#include "http/json_writer.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <ctime>

#include "base/utf8.hpp"

namespace weir::http {

namespace {

boost::json::value to_document(const json_value& from) {
  if (const auto* items = from.as<json_items>()) {
    boost::json::array out;
    for (const auto& item : *items) out.push_back(to_document(item));
    return out;
  }
  if (const auto* members = from.as<json_members>()) {
    boost::json::object out;
    for (const auto& [name, value] : *members) out[name] = to_document(value);
    return out;
  }
  if (const auto* text = from.as<std::string>()) return boost::json::value(*text);
  if (const auto* number = from.as<std::int64_t>()) return *number;
  if (const auto* number = from.as<double>()) return *number;
  if (const auto* is_true = from.as<bool>()) return *is_true;
  return nullptr;
}

}  // namespace

std::string json_text(const json_value& from) { return valid_utf8(boost::json::serialize(to_document(from))); }

response json_response(const boost::json::value& body, int status) {
  response out;
  out.status = status;
  out.body = valid_utf8(boost::json::serialize(body));
  out.body.push_back('\n');
  return out;
}

std::string utc_time(std::int64_t milliseconds_since_epoch) {
  const std::time_t seconds = milliseconds_since_epoch / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, milliseconds_since_epoch % 1000);
}

}  // namespace weir::http
