// ListOffsets (2): topics of the catalogue hold no data, so earliest and latest are both 0. Tools that print lag ask.
#include "protocol/error_codes.hpp"
#include "protocol/messages/list_offsets_request.hpp"
#include "protocol/messages/list_offsets_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {

namespace {

/// Latest, earliest, earliest local.
bool is_position(std::int64_t timestamp) { return timestamp == -1 || timestamp == -2 || timestamp == -4; }

}  // namespace

void list_offsets::handle(request asked, call c, embedded_node& node) {
  const auto image = node.topics.current();
  protocol::list_offsets_response out;
  for (const auto& wanted : asked.topics) {
    const auto* const topic = image->find(wanted.name);
    auto& told = out.topics.emplace_back();
    told.name = wanted.name;
    for (const auto& partition : wanted.partitions) {
      auto& answered = told.partitions.emplace_back();
      answered.partition_index = partition.partition_index;
      if (!has_partition(topic, partition.partition_index)) {
        answered.error_code = code_of(protocol::error_code::unknown_topic_or_partition);
      } else if (is_position(partition.timestamp)) {  // else a time, or the record of the largest one: there is none
        answered.offset = 0;
        answered.leader_epoch = 0;
      }
    }
  }
  c.answer(out);
}

}  // namespace weir::server::handlers
