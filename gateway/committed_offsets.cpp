#include "gateway/committed_offsets.hpp"

#include <optional>
#include <utility>

#include "protocol/error_codes.hpp"

namespace weir::gateway {

protocol::offset_fetch_request all_offsets_of(std::string_view group_id) {
  protocol::offset_fetch_request question;
  question.group_id = text::view(group_id);
  question.topics = std::nullopt;
  return question;
}

result<std::map<std::string, std::map<std::int32_t, group::committed_offset>, std::less<>>> committed_in(
    const protocol::offset_fetch_response& answer) {
  const auto refused = [](protocol::error_code code) {
    return fail("the upstream says " + std::string(protocol::name(code)));
  };
  const auto code = static_cast<protocol::error_code>(answer.error_code);
  if (code != protocol::error_code::none) return refused(code);
  std::map<std::string, std::map<std::int32_t, group::committed_offset>, std::less<>> out;
  for (const auto& topic : answer.topics) {
    for (const auto& partition : topic.partitions) {
      const auto of_partition = static_cast<protocol::error_code>(partition.error_code);
      if (of_partition != protocol::error_code::none) return refused(of_partition);
      if (partition.committed_offset < 0 || partition.partition_index < 0) continue;
      auto& committed = out[topic.name.str()][partition.partition_index];
      committed.offset = partition.committed_offset;
      committed.leader_epoch = partition.committed_leader_epoch;
      if (partition.metadata) committed.metadata = partition.metadata->str();
    }
  }
  return out;
}

}  // namespace weir::gateway
