// OffsetDelete (47): spec 05, 4.5.
#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
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

/// Marks what the group decides. A topic that is named again stands once in the answer, one without partitions not.
void read_deletion(const protocol::offset_delete_request& asked, const metadata::image& image, answer& out) {
  std::map<std::string_view, std::size_t> places;
  for (const auto& wanted : asked.topics) {
    if (wanted.partitions.empty()) continue;
    const auto [place, is_first] = places.try_emplace(wanted.name.view(), out.topics.size());
    if (is_first) out.topics.emplace_back().name = wanted.name;
    const auto* const topic = image.find(wanted.name);
    for (const auto& partition : wanted.partitions) {
      auto& answered = out.topics[place->second].partitions.emplace_back();
      answered.partition_index = partition.partition_index;
      answered.error_code = has_partition(topic, partition.partition_index)
                                ? left_to_group
                                : code_of(error_code::unknown_topic_or_partition);
    }
  }
}

/// Those that the group decides, in the order of the answer.
std::vector<group::offset_name> offsets_to_delete(const answer& told) {
  std::vector<group::offset_name> offsets;
  for (const auto& topic : told.topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code == left_to_group) offsets.emplace_back(topic.name.str(), partition.partition_index);
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
  read_deletion(asked, *node.topics.current(), *out);
  deletion.offsets = offsets_to_delete(*out);
  node.coordinator.delete_offsets(std::move(deletion), [c, out](const actors::offset_deletion_answer& deleted) {
    fill(*out, deleted);
    c.answer(*out);
  });
}

}  // namespace weir::server::handlers
