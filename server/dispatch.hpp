// dispatch: from the api key of a request to its handler, with the protocol violations of spec 05, 1.2.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/api_versions.hpp"
#include "server/handler.hpp"

namespace weir::server {

/// "StreamsGroupHeartbeat version 7 is not served, only 0 to 1"; for the one log line of a closed connection.
[[nodiscard]] std::string not_served(const protocol::request_header& header, const protocol::api_range* range);

/// The APIs of one kind of node, looked up by key. Made once.
template <class Node>
class api_table {
 public:
  explicit api_table(std::vector<handled_api<Node>> rows) : rows_(std::move(rows)) {
    std::ranges::sort(rows_, {}, [](const auto& row) { return row.range.key; });
  }

  /// What ApiVersions tells.
  [[nodiscard]] std::vector<protocol::api_range> ranges() const {
    std::vector<protocol::api_range> out;
    for (const auto& row : rows_) out.push_back(row.range);
    return out;
  }

  /// Hands the request to its handler. Error: the connection has to be closed. An ApiVersions request of a version that
  /// is not served is the one violation that gets an answer.
  [[nodiscard]] result<void> run(Node& node, const protocol::api_offer& offer, request_in in) const {
    const auto key = static_cast<protocol::api>(in.header.request_api_key);
    const auto row = std::ranges::lower_bound(rows_, key, {}, [](const auto& each) { return each.range.key; });
    const bool found = row != rows_.end() && row->range.key == key;
    const auto version = in.header.request_api_version;
    if (found && version >= row->range.min_version && version <= row->range.max_version) {
      return row->run(node, std::move(in));
    }
    if (key != protocol::api::api_versions) return fail(not_served(in.header, found ? &row->range : nullptr));
    in.connection->answer(in.slot, protocol::encode_response_frame(in.header.correlation_id,
                                                                   protocol::describe_fallback(offer), 0));
    return {};
  }

 private:
  std::vector<handled_api<Node>> rows_;
};

}  // namespace weir::server
