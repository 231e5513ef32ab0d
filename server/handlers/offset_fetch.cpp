// OffsetFetch (9): one group before version 8, a batch of groups from then on. Spec 05, 4.3.
#include <memory>
#include <utility>
#include <vector>

#include "protocol/error_codes.hpp"
#include "protocol/messages/offset_fetch_request.hpp"
#include "protocol/messages/offset_fetch_response.hpp"
#include "server/handlers/handlers.hpp"
#include "server/handlers/mentions.hpp"
#include "server/handlers/node.hpp"

namespace weir::server::handlers {
namespace {

using protocol::error_code;
using answer = protocol::offset_fetch_response;
using wanted_group = protocol::offset_fetch_request::offset_fetch_request_group_data;
using wanted_topics = protocol::offset_fetch_request::offset_fetch_request_topics_data;
using group_answer = answer::offset_fetch_response_group_data;
using topic_answer = answer::offset_fetch_response_topics_data;
using partition_answer = answer::offset_fetch_response_partitions_data;

constexpr std::int16_t batch_from = 8;
constexpr std::int16_t topic_ids_from = 10;
constexpr std::int16_t whole_error_from = 2;  // before, an error is told on every partition

/// The one group of an old request, in the form of the new ones.
wanted_group old_group(protocol::offset_fetch_request& asked) {
  wanted_group out;
  out.group_id = std::move(asked.group_id);
  out.topics.reset();
  if (!asked.topics) return out;
  out.topics.emplace();
  for (auto& topic : *asked.topics) {
    out.topics->push_back(
        {.name = std::move(topic.name), .topic_id = {}, .partition_indexes = std::move(topic.partition_indexes)});
  }
  return out;
}

partition_answer nothing(std::int32_t index, error_code code = error_code::none) {
  return {.partition_index = index,
          .committed_offset = -1,
          .committed_leader_epoch = -1,
          .metadata = text(),
          .error_code = code_of(code)};
}

/// An offset of a topic that was deleted and made again is of the old one: it counts as none.
bool is_of(const group::committed_offset& offset, const metadata::topic& topic) {
  return offset.topic_id.is_zero() || offset.topic_id == topic.id;
}

partition_answer describe(std::int32_t index, const group::committed_offset& offset) {
  return {.partition_index = index,
          .committed_offset = offset.offset,
          .committed_leader_epoch = offset.leader_epoch,
          .metadata = text(offset.metadata),
          .error_code = 0};
}

/// What the client asked, besides groups and topics.
struct fetch_terms {
  std::int16_t version = 0;
  bool stable = false;  ///< partitions with a pending transactional offset are an error
};

bool is_unstable(const fetch_terms& terms, const actors::fetched_offsets& fetched, const std::string& topic,
                 std::int32_t index) {
  return terms.stable && fetched.unstable.contains({topic, index});
}

/// Each part of the answer has a copy of the offset's metadata.
using named_partitions = mentions<std::pair<const metadata::topic*, std::int32_t>>;

topic_answer find(const wanted_topics& wanted, const metadata::image& image, const actors::fetched_offsets& fetched,
                  const fetch_terms& terms, named_partitions& named) {
  const bool by_id = terms.version >= topic_ids_from;
  const auto* const topic = by_id ? image.find(wanted.topic_id) : image.find(wanted.name);
  topic_answer out{.name = wanted.name, .topic_id = wanted.topic_id, .partitions = {}};
  for (const auto index : wanted.partition_indexes) {
    out.partitions.push_back(
        nothing(index, by_id && topic == nullptr ? error_code::unknown_topic_id : error_code::none));
    if (topic == nullptr) continue;
    if (is_unstable(terms, fetched, topic->name, index)) {
      out.partitions.back() = nothing(index, error_code::unstable_offset_commit);
      continue;
    }
    const auto partitions = fetched.offsets.find(topic->name);
    if (partitions == fetched.offsets.end()) continue;
    const auto offset = partitions->second.find(index);
    if (offset != partitions->second.end() && is_of(offset->second, *topic)) {
      out.partitions.back() = named.admit({topic, index}) ? describe(index, offset->second)
                                                          : nothing(index, error_code::invalid_request);
    }
  }
  return out;
}

/// Topics that do not exist any more are left out.
std::vector<topic_answer> find_all(const metadata::image& image, const actors::fetched_offsets& fetched,
                                   const fetch_terms& terms) {
  std::vector<topic_answer> out;
  for (const auto& [name, partitions] : fetched.offsets) {
    const auto* const topic = image.find(name);
    if (topic == nullptr) continue;
    topic_answer found{.name = text(name), .topic_id = topic->id, .partitions = {}};
    for (const auto& [index, offset] : partitions) {
      if (!is_of(offset, *topic)) continue;
      found.partitions.push_back(is_unstable(terms, fetched, name, index)
                                     ? nothing(index, error_code::unstable_offset_commit)
                                     : describe(index, offset));
    }
    if (!found.partitions.empty()) out.push_back(std::move(found));
  }
  return out;
}

group_answer answer_group(const wanted_group& wanted, const metadata::image& image,
                          const actors::fetched_offsets& fetched, const fetch_terms& terms) {
  // Old clients look the coordinator up again only after NOT_COORDINATOR (spec 04, 9.2).
  const auto code =
      fetched.error == error_code::coordinator_not_available ? error_code::not_coordinator : fetched.error;
  group_answer out{.group_id = wanted.group_id, .topics = {}, .error_code = code_of(code)};
  if (fetched.error != error_code::none) return out;
  if (!wanted.topics) {
    out.topics = find_all(image, fetched, terms);
    return out;
  }
  named_partitions named;
  for (const auto& topic : *wanted.topics) out.topics.push_back(find(topic, image, fetched, terms, named));
  return out;
}

/// The part of one group as an answer before version 8.
answer old_answer(group_answer part, const wanted_group& wanted, std::int16_t version) {
  answer out;
  out.error_code = part.error_code;
  if (part.error_code != 0 && version < whole_error_from && wanted.topics) {
    for (const auto& topic : *wanted.topics) {
      auto& told = out.topics.emplace_back();
      told.name = topic.name;
      for (const auto index : topic.partition_indexes) {
        told.partitions.push_back(
            {.partition_index = index, .committed_offset = -1, .metadata = text(), .error_code = part.error_code});
      }
    }
    return out;
  }
  for (auto& topic : part.topics) {
    auto& told = out.topics.emplace_back();
    told.name = std::move(topic.name);
    for (auto& each : topic.partitions) {
      told.partitions.push_back({.partition_index = each.partition_index,
                                 .committed_offset = each.committed_offset,
                                 .committed_leader_epoch = each.committed_leader_epoch,
                                 .metadata = std::move(each.metadata),
                                 .error_code = each.error_code});
    }
  }
  return out;
}

void fetch(embedded_node& node, const wanted_group& wanted, actors::reply<actors::fetched_offsets> done) {
  actors::fetch_request request{
      .group_id = wanted.group_id.str(), .member_id = {}, .member_epoch = wanted.member_epoch};
  if (wanted.member_id) request.member_id = wanted.member_id->str();
  node.coordinator.fetch(std::move(request), std::move(done));
}

}  // namespace

void offset_fetch::handle(request asked, call c, embedded_node& node) {
  const auto image = node.topics.current();
  const fetch_terms terms{.version = c.version(), .stable = asked.require_stable};
  if (c.version() < batch_from) {
    const auto wanted = std::make_shared<const wanted_group>(old_group(asked));
    return fetch(node, *wanted, [c, image, wanted, terms](const actors::fetched_offsets& fetched) {
      c.answer(old_answer(answer_group(*wanted, *image, fetched, terms), *wanted, c.version()));
    });
  }
  const auto parts = gather<group_answer>::of(asked.groups.size(), [c](std::vector<group_answer> groups) {
    answer out;
    out.groups = std::move(groups);
    c.answer(out);
  });
  mentions named;
  for (std::size_t i = 0; i < asked.groups.size(); ++i) {
    if (!named.admit(asked.groups[i].group_id.view())) {
      const auto code = code_of(error_code::invalid_request);
      parts->put(i, {.group_id = asked.groups[i].group_id, .topics = {}, .error_code = code});
      continue;
    }
    const auto wanted = std::make_shared<const wanted_group>(std::move(asked.groups[i]));
    fetch(node, *wanted, [parts, i, image, wanted, terms](const actors::fetched_offsets& fetched) {
      parts->put(i, answer_group(*wanted, *image, fetched, terms));
    });
  }
}

}  // namespace weir::server::handlers
