#include "protocol/api_versions.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "protocol/codec.hpp"
#include "protocol/error_codes.hpp"

namespace weir::protocol {
namespace {

constexpr std::int16_t names_from = 3;             // client name and version; features in the answer
constexpr std::int16_t zero_minimum_from = 4;      // features whose lowest level is 0 are listed
constexpr std::int16_t cluster_and_node_from = 5;  // the client says whom it means to talk to

const api_range* find(const api_offer& offer, std::int16_t key) noexcept {
  const auto row = std::ranges::lower_bound(offer.apis, static_cast<api>(key), {}, &api_range::key);
  return row != offer.apis.end() && key_of(row->key) == key ? &*row : nullptr;
}

api_versions_response::api_version_data describe(const api_range& range) {
  return {.api_key = key_of(range.key), .min_version = range.min_version, .max_version = range.max_version};
}

error_code check(const api_offer& offer, const api_versions_request& request, std::int16_t version) {
  if (version >= names_from &&
      !(valid_software_name(request.client_software_name) && valid_software_name(request.client_software_version))) {
    return error_code::invalid_request;
  }
  if (version < cluster_and_node_from) return error_code::none;
  const bool has_cluster = request.cluster_id.has_value();
  const bool has_node = request.node_id != -1;
  if (has_cluster != has_node) return error_code::invalid_request;
  if (has_cluster && (*request.cluster_id != offer.cluster_id || request.node_id != offer.node_id)) {
    return error_code::rebootstrap_required;
  }
  return error_code::none;
}

void describe_features(const api_offer& offer, std::int16_t version, api_versions_response& answer) {
  for (const auto& feature : offer.supported_features) {
    if (feature.min_level == 0 && version < zero_minimum_from) continue;
    answer.supported_features.push_back(
        {.name = text::view(feature.name), .min_version = feature.min_level, .max_version = feature.max_level});
  }
  answer.finalized_features_epoch = offer.finalized_epoch;
  for (const auto& feature : offer.finalized_features) {
    answer.finalized_features.push_back(
        {.name = text::view(feature.name), .max_version_level = feature.level, .min_version_level = feature.level});
  }
}

bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

result<bytes> answer_api_versions(const api_offer& offer, const request_frame& request) {
  const auto version = request.header.request_api_version;
  const auto correlation_id = request.header.correlation_id;
  if (!offers(offer, key_of(api::api_versions), version)) {
    return encode_response_frame(correlation_id, describe_fallback(offer), 0);
  }
  const auto body = decode<api_versions_request>(request.body, version);
  if (!body) return tl::unexpected(body.error());
  return encode_response_frame(correlation_id, describe_offer(offer, *body, version), version);
}

api_versions_response describe_offer(const api_offer& offer, const api_versions_request& request,
                                     std::int16_t version) {
  api_versions_response answer;
  const auto code = check(offer, request, version);
  answer.error_code = code_of(code);
  if (code != error_code::none) return answer;
  answer.api_keys.reserve(offer.apis.size());
  for (const auto& range : offer.apis) answer.api_keys.push_back(describe(range));
  if (version >= names_from) describe_features(offer, version, answer);
  return answer;
}

api_versions_response describe_fallback(const api_offer& offer) {
  api_versions_response answer;
  answer.error_code = code_of(error_code::unsupported_version);
  const auto* const range = find(offer, key_of(api::api_versions));
  WEIR_ASSERT(range != nullptr);
  answer.api_keys.push_back(describe(*range));
  return answer;
}

bool offers(const api_offer& offer, std::int16_t key, std::int16_t version) noexcept {
  const auto* const range = find(offer, key);
  return range != nullptr && version >= range->min_version && version <= range->max_version;
}

bool valid_software_name(std::string_view name) noexcept {
  if (name.empty() || !is_letter_or_digit(name.front()) || !is_letter_or_digit(name.back())) return false;
  return std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-'; });
}

}  // namespace weir::protocol
