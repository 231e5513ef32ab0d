// OffsetDelete (47): spec 05, 4.5.
#include <memory>
#include <utility>
#include <vector>

#include "protocol/error_codes.hpp"
#include "protocol/messages/offset_delete_request.hpp"
#include "protocol/messages/offset_delete_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/node.hpp"
#include "server/handlers/topic_answers.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using answer = protocol::offset_delete_response;

constexpr std::int16_t left_to_group = -2;

/// Marks what the group decides; those offsets in the order of the answer.
std::vector<group::offset_name> read_deletion(const protocol::offset_delete_request& asked,
                                              const metadata::image& image, answer& out) {
  std::vector<group::offset_name> offsets;
  for (const auto& wanted : asked.topics) {
    const auto* const topic = image.find(wanted.name);
    auto& told = out.topics.emplace_back();
    told.name = wanted.name;
    for (const auto& partition : wanted.partitions) {
      const auto index = partition.partition_index;
      const bool is_known = has_partition(topic, index);
      auto& answered = told.partitions.emplace_back();
      answered.partition_index = index;
      answered.error_code = is_known ? left_to_group : code_of(error_code::unknown_topic_or_partition);
      if (is_known) offsets.emplace_back(topic->name, index);
    }
  }
  return offsets;
}

void fill(answer& out, const actors::offset_deletion_answer& deleted) {
  if (deleted.error != error_code::none) {
    out.error_code = code_of(deleted.error);
    out.topics.clear();
    return;
  }
  auto next = deleted.partitions.begin();
  for (auto& topic : out.topics) {
    for (auto& partition : topic.partitions) {
      if (partition.error_code == left_to_group) partition.error_code = code_of(*next++);
    }
  }
}

}  // namespace

void offset_delete::handle(request asked, call c, embedded_node& node) {
  const auto out = std::make_shared<answer>();
  if (asked.group_id.empty()) {
    out->error_code = code_of(error_code::invalid_group_id);
    return c.answer(*out);
  }
  actors::offset_deletion_request deletion;
  deletion.group_id = asked.group_id.str();
  deletion.offsets = read_deletion(asked, *node.topics.current(), *out);
  node.coordinator.delete_offsets(std::move(deletion), [c, out](const actors::offset_deletion_answer& deleted) {
    fill(*out, deleted);
    c.answer(*out);
  });
}

}  // namespace weir::server::handlers
