// A streams group in its steady state, made by the core alone: what a heartbeat meets most of the time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assignor/registry.hpp"
#include "base/bytes.hpp"
#include "group/heartbeat/heartbeat.hpp"
#include "metadata/hash_cache.hpp"
#include "metadata/image.hpp"
#include "protocol/codec.hpp"
#include "protocol/headers.hpp"

namespace weir::bench {

/// Who asks, always: another client id would be a changed member.
inline constexpr std::string_view client_id = "bench-client-StreamThread-1-consumer";

/// The join of a stateless application of one subtopology that reads topic `in`.
[[nodiscard]] protocol::streams_group_heartbeat_request join_of(std::string_view group_id, std::string_view member_id);
/// Acknowledges everything an answer assigned.
[[nodiscard]] protocol::streams_group_heartbeat_request acknowledge(
    const protocol::streams_group_heartbeat_request& before, const protocol::streams_group_heartbeat_response& answer);
/// What the member sends from then on.
[[nodiscard]] protocol::streams_group_heartbeat_request steady_of(
    const protocol::streams_group_heartbeat_request& acknowledged);

/// One member with all tasks of `in`, acknowledged. One thread.
class steady_group {
 public:
  steady_group(std::string_view group_id, std::int32_t partitions);

  /// The body of the next heartbeat and the whole frame of a request with it.
  [[nodiscard]] const protocol::streams_group_heartbeat_request& request() const noexcept { return steady_; }
  /// Decode, decide, apply, encode: everything between the bytes that came and the bytes that go.
  [[nodiscard]] bytes serve(byte_view frame);

 private:
  protocol::streams_group_heartbeat_response ask(const protocol::streams_group_heartbeat_request& request);
  [[nodiscard]] group::heartbeat_outcome decide(const protocol::streams_group_heartbeat_request& request,
                                                const group::request_context& context);

  metadata::image_ptr image_;
  metadata::hash_cache hashes_;
  group::group_config config_;
  assignor::registry assignors_ = assignor::registry::built_in();
  group::streams_group group_;
  protocol::streams_group_heartbeat_request steady_;
  std::int64_t now_ms_ = 1'000'000;
};

}  // namespace weir::bench
