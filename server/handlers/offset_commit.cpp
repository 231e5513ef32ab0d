// OffsetCommit (8): topics are checked here, everything about the group by its coordinator. Spec 05, 4.2.
#include <algorithm>
#include <memory>

#include "protocol/error_codes.hpp"
#include "protocol/messages/offset_commit_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using wanted_topic = protocol::offset_commit_request::offset_commit_request_topic_data;
using wanted_partition = protocol::offset_commit_request::offset_commit_request_partition_data;
using answer = protocol::offset_commit_response;

constexpr std::int16_t topic_ids_from = 10;
constexpr std::size_t metadata_bytes_max = 4096;  // offset.metadata.max.bytes

/// What stays undecided until the coordinator has spoken is marked with these: it may still accept the first.
constexpr std::int16_t undecided = -2;
constexpr std::int16_t undecided_too_large = -3;

error_code check(const metadata::topic* topic, const wanted_partition& partition, std::int16_t version) {
  if (topic == nullptr) {
    return version >= topic_ids_from ? error_code::unknown_topic_id : error_code::unknown_topic_or_partition;
  }
  if (partition.partition_index < 0 || partition.partition_index >= topic->partition_count()) {
    return error_code::unknown_topic_or_partition;
  }
  return error_code::none;
}

bool is_too_large(const wanted_partition& partition) {
  return partition.committed_metadata.value_or(text()).size() > metadata_bytes_max;
}

group::committed_offset value_of(const wanted_partition& partition, const uuid& topic_id, std::int64_t now_ms,
                                 std::int64_t retention_ms) {
  return {.offset = partition.committed_offset,
          .leader_epoch = partition.committed_leader_epoch,
          .metadata = partition.committed_metadata.value_or(text()).str(),
          .commit_timestamp_ms = now_ms,
          .expire_timestamp_ms = retention_ms < 0 ? -1 : now_ms + retention_ms,
          .topic_id = topic_id};
}

void decide(answer& out, error_code code) {
  for (auto& topic : out.topics) {
    for (auto& partition : topic.partitions) {
      if (partition.error_code == undecided) partition.error_code = code_of(code);
      if (partition.error_code != undecided_too_large) continue;
      partition.error_code = code_of(code == error_code::none ? error_code::offset_metadata_too_large : code);
    }
  }
}

/// Fills the answer with what can be told now, and the commit with the rest.
actors::commit_request read_request(const protocol::offset_commit_request& asked, const call& c,
                                    const embedded_node& node, answer& out) {
  const auto image = node.topics.current();
  actors::commit_request commit{.group_id = asked.group_id.str(),
                                .version = c.version(),
                                .transactional = false,
                                .member_id = asked.member_id.str(),
                                .instance_id = {},
                                .member_epoch = asked.generation_id_or_member_epoch,
                                .entries = {}};
  if (asked.group_instance_id) commit.instance_id = asked.group_instance_id->str();
  for (const auto& wanted : asked.topics) {
    const auto* const topic = c.version() >= topic_ids_from ? image->find(wanted.topic_id) : image->find(wanted.name);
    auto& told = out.topics.emplace_back();
    told.name = wanted.name;
    told.topic_id = wanted.topic_id;
    for (const auto& partition : wanted.partitions) {
      const auto code = check(topic, partition, c.version());
      const bool is_stored = !is_too_large(partition);
      const auto open = is_stored ? undecided : undecided_too_large;
      told.partitions.push_back({.partition_index = partition.partition_index,
                                 .error_code = code == error_code::none ? open : code_of(code)});
      if (code != error_code::none) continue;
      commit.entries.push_back({topic->name, partition.partition_index,
                                value_of(partition, topic->id, node.time.now_ms(), asked.retention_time_ms),
                                is_stored});
    }
  }
  return commit;
}

}  // namespace

void offset_commit::handle(request asked, call c, embedded_node& node) {
  auto out = std::make_shared<answer>();
  auto commit = read_request(asked, c, node, *out);
  if (commit.entries.empty()) return c.answer(*out);
  node.coordinator.commit(std::move(commit), [c, out](error_code code) {
    decide(*out, code);
    c.answer(*out);
  });
}

}  // namespace weir::server::handlers
