#include "server/dispatch.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"

namespace weir::server {

std::string not_served(const protocol::request_header& header, const protocol::api_range* range) {
  const auto name = protocol::api_name(header.request_api_key);
  if (range == nullptr) return fmt::format("{} (api key {}) is not served", name, header.request_api_key);
  return fmt::format("{} version {} is not served, only {} to {}", name, header.request_api_version, range->min_version,
                     range->max_version);
}

result<void> check_names(std::string_view request, std::size_t count) {
  if (count <= limits::names_per_request_max) return {};
  return fail(fmt::format("{} with {} names, the limit is {}", request, count, limits::names_per_request_max));
}

}  // namespace weir::server
