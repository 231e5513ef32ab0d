// ApiVersions: what a listener offers, and its answer in every version, refusals included. Spec 05, 1.2 and 3.1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "protocol/api_keys.hpp"
#include "protocol/headers.hpp"
#include "protocol/messages/api_versions_request.hpp"
#include "protocol/messages/api_versions_response.hpp"

namespace weir::protocol {

struct api_range {
  api key;
  std::int16_t min_version;
  std::int16_t max_version;

  bool operator==(const api_range&) const = default;
};

struct feature_range {
  std::string name;
  std::int16_t min_level;
  std::int16_t max_level;
};

struct finalized_feature {
  std::string name;
  std::int16_t level;  ///< at least 1; features of level 0 are not listed
};

/// What a listener tells its clients. `apis` rises by key and holds api_versions.
struct api_offer {
  std::vector<api_range> apis;
  std::vector<feature_range> supported_features;
  std::vector<finalized_feature> finalized_features;
  std::int64_t finalized_epoch = -1;  ///< grows with each change of finalized_features; -1: none known
  std::string cluster_id;
  std::int32_t node_id = 0;
};

/// Does the offer hold that version of that key?
[[nodiscard]] bool offers(const api_offer& offer, std::int16_t key, std::int16_t version) noexcept;

/// The whole answer frame to an ApiVersions request of any version. Error: a body that cannot be decoded.
[[nodiscard]] result<bytes> answer_api_versions(const api_offer& offer, const request_frame& request);

/// The answer to a request of a version that is offered (refusals carry no keys).
[[nodiscard]] api_versions_response describe_offer(const api_offer& offer, const api_versions_request& request,
                                                   std::int16_t version);
/// The answer to any other version; encode it as version 0.
[[nodiscard]] api_versions_response describe_fallback(const api_offer& offer);

/// Is it letters and digits, with '.' and '-' allowed between? (the rule for a client's name and version)
[[nodiscard]] bool valid_software_name(std::string_view name) noexcept;

}  // namespace weir::protocol
