#include "group/description.hpp"

#include <algorithm>

#include "base/java_trim.hpp"
#include "protocol/wire/reader.hpp"
#include "protocol/wire/writer.hpp"

namespace weir::group {
namespace {

using protocol::error_code;
using request_type = protocol::streams_group_topology_description_update_request;
using described = protocol::streams_group_describe_response;

constexpr std::int64_t first_back_off_ms = 30'000;
constexpr std::int64_t longest_back_off_ms = 3'600'000;
constexpr std::int16_t sent_version = 0;  // of the request; the answer that has the same structure
constexpr std::int16_t told_version = 1;

namespace node_type {
constexpr std::int8_t source = 1;
constexpr std::int8_t processor = 2;
constexpr std::int8_t sink = 3;
}  // namespace node_type

std::optional<refusal> check_nodes(const request_type::topology_description_data& description) {
  for (const auto& part : description.subtopologies) {
    for (const auto& node : part.nodes) {
      if (node.node_type >= node_type::source && node.node_type <= node_type::sink) continue;
      return refusal{error_code::invalid_request,
                     "Node " + node.name.str() + " has the unknown type " + std::to_string(node.node_type) + "."};
    }
  }
  for (const auto& store : description.global_stores) {
    if (store.source.node_type == node_type::source && store.processor.node_type == node_type::processor) continue;
    return refusal{error_code::invalid_request, "A global store needs a source node and a processor node."};
  }
  return std::nullopt;
}

std::optional<refusal> check_description(const streams_group& group, const request_type& request) {
  if (is_blank(request.member_id)) return refusal{error_code::invalid_request, "MemberId can't be empty."};
  if (is_blank(request.group_id)) return refusal{error_code::invalid_request, "GroupId can't be empty."};
  if (group.kind != group_kind::streams) {
    return refusal{error_code::group_id_not_found, "Streams group " + group.id + " not found."};
  }
  if (!group.members.contains(request.member_id)) {
    return refusal{error_code::unknown_member_id,
                   "Member " + request.member_id.str() + " is not a member of group " + group.id + "."};
  }
  if (!group.topology || group.topology->epoch != request.topology_epoch) {
    return refusal{error_code::invalid_request, "The topology epoch of group " + group.id + " is not " +
                                                    std::to_string(request.topology_epoch) + "."};
  }
  return check_nodes(request.topology_description);
}

std::string encode_description(const request_type::topology_description_data& description) {
  bytes out;
  protocol::wire::writer writer(out);
  description.write(writer, sent_version);
  return {out.begin(), out.end()};
}

void own(text& of) { of = text(of.view()); }

void own(std::vector<text>& list) {
  for (auto& each : list) own(each);
}

void own(described::topology_description_node_data& node) {
  own(node.name);
  own(node.source_topics);
  if (node.sink_topic) own(*node.sink_topic);
  own(node.stores);
  own(node.successors);
  node.unknown_tags.clear();
}

/// Texts of a decoded description look into the group's memory; the answer outlives it.
void own(described::topology_description_data& description) {
  for (auto& part : description.subtopologies) {
    own(part.subtopology_id);
    for (auto& node : part.nodes) own(node);
    part.unknown_tags.clear();
  }
  for (auto& store : description.global_stores) {
    own(store.source);
    own(store.processor);
    store.unknown_tags.clear();
  }
  description.unknown_tags.clear();
}

}  // namespace

description_outcome store_description(const streams_group& group, const request_type& request) {
  description_outcome outcome;
  outcome.refused = check_description(group, request);
  if (outcome.refused) return outcome;
  auto metadata = group.metadata;
  auto encoded = encode_description(request.topology_description);
  if (encoded.size() > description_bytes_max) {
    metadata.failed_description_epoch = std::max(metadata.failed_description_epoch, request.topology_epoch);
    outcome.refused = refusal{error_code::streams_topology_description_update_failed,
                              "The description has more than " + std::to_string(description_bytes_max) + " bytes."};
  } else {
    metadata.stored_description_epoch = std::max(metadata.stored_description_epoch, request.topology_epoch);
    outcome.records.push_back(topology_description_record{
        topology_description{.topology_epoch = request.topology_epoch, .encoded = std::move(encoded)}});
  }
  outcome.records.push_back(group_metadata_record{.value = std::move(metadata)});
  return outcome;
}

bool wants_description(const streams_group& group, std::int64_t now_ms) noexcept {
  if (!group.topology) return false;
  const auto epoch = group.topology->epoch;
  if (group.metadata.stored_description_epoch == epoch || group.metadata.failed_description_epoch == epoch)
    return false;
  const auto& back_off = group.soft.description;
  return back_off.topology_epoch != epoch || back_off.next_ms <= now_ms;
}

description_back_off after_asking(const streams_group& group, std::int64_t now_ms) noexcept {
  description_back_off next{.topology_epoch = group.topology->epoch, .next_ms = 0, .asked = 1};
  if (group.soft.description.topology_epoch == next.topology_epoch) next.asked = group.soft.description.asked + 1;
  auto wait_ms = first_back_off_ms;
  for (std::int32_t i = 1; i < next.asked && wait_ms < longest_back_off_ms; ++i) wait_ms *= 2;
  next.next_ms = now_ms + std::min(wait_ms, longest_back_off_ms);
  return next;
}

std::optional<described::topology_description_data> stored_description(const streams_group& group) {
  if (!group.description || !group.topology || group.description->topology_epoch != group.topology->epoch) {
    return std::nullopt;
  }
  const auto& encoded = group.description->encoded;
  protocol::wire::reader in({reinterpret_cast<const std::uint8_t*>(encoded.data()), encoded.size()});
  described::topology_description_data description;
  description.read(in, told_version);
  if (!in.ok()) return std::nullopt;
  own(description);
  return description;
}

}  // namespace weir::group
