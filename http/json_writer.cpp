#include "http/json_writer.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <ctime>

#include "base/utf8.hpp"

namespace weir::http {

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
