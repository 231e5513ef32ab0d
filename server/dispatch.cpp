#include "server/dispatch.hpp"

#include <fmt/format.h>

namespace weir::server {

std::string not_served(const protocol::request_header& header, const protocol::api_range* range) {
  const auto name = protocol::api_name(header.request_api_key);
  if (range == nullptr) return fmt::format("{} (api key {}) is not served", name, header.request_api_key);
  return fmt::format("{} version {} is not served, only {} to {}", name, header.request_api_version, range->min_version,
                     range->max_version);
}

}  // namespace weir::server
