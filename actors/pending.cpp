#include "actors/pending.hpp"

#include "base/metrics.hpp"
#include "protocol/codec.hpp"

namespace weir::actors {

void pending_heartbeat::begun() const noexcept {
  static auto& waited = metrics::all().queue_time.with({"StreamsGroupHeartbeat"});
  waited.observe(metrics::microseconds_since(arrived_));
}

void pending_heartbeat::answer(const protocol::streams_group_heartbeat_response& response) noexcept {
  static auto& took = metrics::all().heartbeat_time.get();
  if (std::exchange(answered_, true)) return;
  took.observe(metrics::microseconds_since(arrived_));
  metrics::requests().count(response.api_key, "StreamsGroupHeartbeat", response.error_code);
  call_.sink->answer(call_.slot,
                     protocol::encode_response_frame(call_.correlation_id, response, call_.context.version));
}

void pending_heartbeat::reject(protocol::error_code code) noexcept {
  if (!answered_) answer(group::refused(code, {}));
}

}  // namespace weir::actors
