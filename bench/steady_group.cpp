#include "bench/steady_group.hpp"

#include <utility>

#include "base/assert.hpp"

namespace weir::bench {
namespace {

using heartbeat_request = protocol::streams_group_heartbeat_request;
using heartbeat_response = protocol::streams_group_heartbeat_response;

constexpr std::int16_t version = 1;

}  // namespace

heartbeat_request join_of(std::string_view group_id, std::string_view member_id) {
  heartbeat_request out;
  out.group_id = text(group_id);
  out.member_id = text(member_id);
  out.member_epoch = 0;
  out.rebalance_timeout_ms = 300'000;
  out.process_id = text(member_id);
  out.topology.emplace();
  out.topology->subtopologies.emplace_back();
  out.topology->subtopologies.back().subtopology_id = "0";
  out.topology->subtopologies.back().source_topics = {"in"};
  out.active_tasks.emplace();
  out.standby_tasks.emplace();
  out.warmup_tasks.emplace();
  return out;
}

heartbeat_request acknowledge(const heartbeat_request& before, const heartbeat_response& answer) {
  auto out = before;
  out.member_epoch = answer.member_epoch;
  out.topology.reset();
  if (!answer.active_tasks) return out;
  out.active_tasks.emplace();
  for (const auto& task : *answer.active_tasks) {
    auto& owned = out.active_tasks->emplace_back();
    owned.subtopology_id = text(task.subtopology_id.view());
    owned.partitions = task.partitions;
  }
  return out;
}

heartbeat_request steady_of(const heartbeat_request& acknowledged) {
  heartbeat_request out;
  out.group_id = acknowledged.group_id;
  out.member_id = acknowledged.member_id;
  out.member_epoch = acknowledged.member_epoch;
  return out;
}

steady_group::steady_group(std::string_view group_id, std::int32_t partitions) {
  metadata::topic in{.id = {1, 2}, .name = "in", .partition_racks = {}};
  in.partition_racks.resize(static_cast<std::size_t>(partitions));
  image_ = metadata::image_builder(nullptr).put_topic(std::move(in)).build(1);
  config_.initial_rebalance_delay_ms = 0;
  config_.assignment_interval_ms = 0;
  group_.id = std::string(group_id);
  const auto join = join_of(group_id, "member-1-with-a-name-of-usual-length");
  auto current = acknowledge(join, ask(join));
  for (int i = 0; i < 3; ++i) current = acknowledge(current, ask(current));
  WEIR_ASSERT(current.active_tasks->size() == 1);
  steady_ = steady_of(current);
  WEIR_ASSERT(!ask(steady_).active_tasks);
}

bytes steady_group::serve(byte_view frame) {
  auto opened = protocol::open_request(frame);
  WEIR_ASSERT(opened);
  const auto decoded = protocol::decode<heartbeat_request>(opened->body, version);
  WEIR_ASSERT(decoded);
  auto outcome = decide(*decoded, {.version = version,
                                   .client_id = opened->header.client_id.value_or(text()),
                                   .client_host = "/127.0.0.1"});
  return protocol::encode_response_frame(opened->header.correlation_id, outcome.answer, version);
}

heartbeat_response steady_group::ask(const heartbeat_request& asked) {
  WEIR_ASSERT(!group::check_request(asked, false));
  const group::request_context context{
      .version = version, .client_id = text::view(client_id), .client_host = "/127.0.0.1"};
  auto answer = decide(asked, context).answer;
  WEIR_ASSERT(answer.error_code == 0);
  return answer;
}

group::heartbeat_outcome steady_group::decide(const heartbeat_request& asked, const group::request_context& context) {
  const group::world world{*image_, hashes_, config_, 1'000'000, assignors_, false, ++now_ms_};
  auto outcome = group::heartbeat(group_, asked, context, world);
  for (const auto& record : outcome.records) group::apply(group_, record);
  group::apply(group_, outcome.soft);
  return outcome;
}

}  // namespace weir::bench
