#include "gateway/api_offer.hpp"

#include <algorithm>

#include "gateway/route_table.hpp"
#include "protocol/messages/api_versions_request.hpp"

namespace weir::gateway {
namespace {

constexpr std::int16_t question_version = 3;

/// Null if the upstream lacks the API and the gateway does not bring it.
std::optional<protocol::api_range> range_of(const route_row& row, const protocol::api_versions_response& upstream) {
  const auto key = static_cast<protocol::api>(row.key);
  if (row.how == route::local) return protocol::api_range{key, row.min_version, row.max_version};
  const auto found =
      std::ranges::find(upstream.api_keys, row.key, &protocol::api_versions_response::api_version_data::api_key);
  if (found == upstream.api_keys.end()) return std::nullopt;
  const std::int16_t most = row.raised ? row.max_version : std::min(row.max_version, found->max_version);
  const std::int16_t least = std::max(row.min_version, found->min_version);
  if (least > most) return std::nullopt;
  return protocol::api_range{key, least, most};
}

bool is_own_question(client_session& session, const server::request_in& request) {
  const auto asked =
      protocol::decode<protocol::api_versions_request>(request.body, request.header.request_api_version);
  return asked && asked->client_software_version == session.state().cluster.software_version();
}

void answer_with(client_session& session, const server::request_in& request,
                 const protocol::api_versions_response& upstream) {
  if (upstream.error_code != 0) return request.connection->close("the upstream refuses ApiVersions");
  auto offer = offer_from(upstream);
  offer.cluster_id = session.state().cluster.current()->cluster_id();
  offer.node_id = session.state().cluster.node_id();
  auto frame = protocol::answer_api_versions(offer, {request.header, request.body});
  if (!frame) return request.connection->close(frame.error().message);
  request.connection->answer(request.slot, *std::move(frame));
}

}  // namespace

protocol::api_offer offer_from(const protocol::api_versions_response& upstream) {
  protocol::api_offer offer;
  for (const route_row& row : routes()) {
    if (const auto range = range_of(row, upstream)) offer.apis.push_back(*range);
  }
  for (const auto& feature : upstream.supported_features) {
    offer.supported_features.push_back({feature.name.str(), feature.min_version, feature.max_version});
  }
  for (const auto& feature : upstream.finalized_features) {
    offer.finalized_features.push_back({feature.name.str(), feature.max_version_level});
  }
  offer.finalized_epoch = upstream.finalized_features_epoch;
  return offer;
}

result<void> answer_api_versions(const std::shared_ptr<client_session>& session, const server::request_in& request) {
  upstream_cluster& cluster = session->state().cluster;
  if (is_own_question(*session, request)) {
    cluster.meet_itself();
    request.connection->close("the gateway is its own upstream (upstream.bootstrap.servers)");
    return {};
  }
  if (!cluster.ready()) {
    request.connection->close(cluster.problem().value_or("the upstream cluster is not known yet"));
    return {};
  }
  protocol::api_versions_request question;
  question.client_software_name = "weir";
  question.client_software_version = text::view(cluster.software_version());
  session->ask_for<protocol::api_versions_response>(
      request, question, question_version,
      [session, request](const auto& upstream) { answer_with(*session, request, upstream.message); });
  return {};
}

}  // namespace weir::gateway
