#include "storage/record_codec.hpp"

#include <fmt/format.h>

#include "base/assert.hpp"
#include "protocol/group_records.hpp"
#include "protocol/messages/consumer_group_metadata_value.hpp"
#include "protocol/messages/group_metadata_value.hpp"
#include "protocol/messages/offset_commit_value.hpp"
#include "protocol/messages/streams_group_member_metadata_value.hpp"
#include "protocol/messages/streams_group_metadata_value.hpp"
#include "protocol/messages/streams_group_target_assignment_metadata_value.hpp"
#include "protocol/messages/streams_group_topology_description_value.hpp"
#include "storage/task_codec.hpp"
#include "storage/topology_codec.hpp"

namespace weir::storage {

namespace {

namespace p = weir::protocol;

constexpr std::int16_t legacy_offset_type = 0;
constexpr std::int16_t offset_type = 1;
constexpr std::int16_t classic_type = 2;
constexpr std::int16_t consumer_type = 3;
constexpr std::int16_t offset_version = 4;
constexpr std::int16_t offset_version_with_expiry = 1;
constexpr std::int16_t classic_version = 3;

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};

bool has_member(std::int16_t type) noexcept { return type == 19 || type == 21 || type == 22; }
bool is_known(std::int16_t type) noexcept {
  return type == classic_type || type == consumer_type || type == 17 || (type >= 19 && type <= 23) ||
         type == group::topology_description_type;
}

std::optional<text> view_of(const std::optional<std::string>& value) {
  return value ? std::optional(text::view(*value)) : std::nullopt;
}
std::optional<std::string> copy_of(const std::optional<text>& value) {
  return value ? std::optional(value->str()) : std::nullopt;
}

bytes encode(const group::group_metadata& value) {
  p::streams_group_metadata_value out;
  out.epoch = value.epoch;
  out.metadata_hash = value.metadata_hash;
  out.validated_topology_epoch = value.validated_topology_epoch;
  for (const auto& [key, setting] : value.assignment_configs) {
    out.last_assignment_configs->push_back({.key = text::view(key), .value = text::view(setting)});
  }
  out.stored_description_topology_epoch = value.stored_description_epoch;
  out.failed_description_topology_epoch = value.failed_description_epoch;
  return p::encode_record_value(out);
}

group::group_metadata to_group(const p::streams_group_metadata_value& in) {
  group::group_metadata value;
  value.epoch = in.epoch;
  value.metadata_hash = in.metadata_hash;
  value.validated_topology_epoch = in.validated_topology_epoch;
  if (in.last_assignment_configs) {  // null means empty (spec 04, section 1)
    for (const auto& entry : *in.last_assignment_configs) {
      value.assignment_configs.insert_or_assign(entry.key.str(), entry.value.str());
    }
  }
  value.stored_description_epoch = in.stored_description_topology_epoch;
  value.failed_description_epoch = in.failed_description_topology_epoch;
  return value;
}

bytes encode(const group::member_metadata& value) {
  p::streams_group_member_metadata_value out;
  out.instance_id = view_of(value.instance_id);
  out.rack_id = view_of(value.rack_id);
  out.client_id = text::view(value.client_id);
  out.client_host = text::view(value.client_host);
  out.rebalance_timeout_ms = value.rebalance_timeout_ms;
  out.topology_epoch = value.topology_epoch;
  out.process_id = text::view(value.process_id);
  if (value.user_endpoint) {
    auto& endpoint = out.user_endpoint.emplace();
    endpoint.host = text::view(value.user_endpoint->host);
    endpoint.port = value.user_endpoint->port;
  }
  for (const auto& [key, tag] : value.client_tags) {
    out.client_tags.push_back({.key = text::view(key), .value = text::view(tag)});
  }
  return p::encode_record_value(out);
}

group::member_metadata to_group(const p::streams_group_member_metadata_value& in) {
  group::member_metadata value;
  value.instance_id = copy_of(in.instance_id);
  value.rack_id = copy_of(in.rack_id);
  value.client_id = in.client_id.str();
  value.client_host = in.client_host.str();
  value.rebalance_timeout_ms = in.rebalance_timeout_ms;
  value.topology_epoch = in.topology_epoch;
  value.process_id = in.process_id.str();
  if (in.user_endpoint) value.user_endpoint = group::endpoint{in.user_endpoint->host.str(), in.user_endpoint->port};
  for (const auto& tag : in.client_tags) value.client_tags.insert_or_assign(tag.key.str(), tag.value.str());
  return value;
}

bytes encode(const group::target_metadata& value) {
  p::streams_group_target_assignment_metadata_value out;
  out.assignment_epoch = value.assignment_epoch;
  out.assignment_timestamp = value.assignment_timestamp_ms;
  return p::encode_record_value(out);
}

group::target_metadata to_group(const p::streams_group_target_assignment_metadata_value& in) {
  return {.assignment_epoch = in.assignment_epoch, .assignment_timestamp_ms = in.assignment_timestamp};
}

bytes encode(const group::committed_offset& value) {
  p::offset_commit_value out;
  out.offset = value.offset;
  out.metadata = text::view(value.metadata);
  out.commit_timestamp = value.commit_timestamp_ms;
  if (value.expire_timestamp_ms >= 0) {
    out.expire_timestamp = value.expire_timestamp_ms;
    return p::encode_record_value(out, offset_version_with_expiry);
  }
  out.leader_epoch = value.leader_epoch;
  out.topic_id = value.topic_id;
  return p::encode_record_value(out, offset_version);
}

/// Members of a classic group are not stored: those of a value that Kafka wrote are left out.
bytes encode(const group::classic_metadata& value) {
  p::group_metadata_value out;
  out.protocol_type = text::view(value.protocol_type);
  out.generation = value.generation;
  out.current_state_timestamp = value.state_timestamp_ms;
  return p::encode_record_value(out, classic_version);
}

group::classic_metadata to_group(const p::group_metadata_value& in) {
  return {.protocol_type = in.protocol_type.str(),
          .generation = in.generation,
          .state_timestamp_ms = in.current_state_timestamp};
}

bytes encode(const group::consumer_metadata& value) {
  p::consumer_group_metadata_value out;
  out.epoch = value.epoch;
  out.metadata_hash = value.metadata_hash;
  return p::encode_record_value(out);
}

group::consumer_metadata to_group(const p::consumer_group_metadata_value& in) {
  return {.epoch = in.epoch, .metadata_hash = in.metadata_hash};
}

bytes encode(const group::topology_description& value) {
  p::streams_group_topology_description_value out;
  out.topology_epoch = value.topology_epoch;
  out.encoded = text::view(value.encoded);
  return p::encode_record_value(out);
}

group::topology_description to_group(const p::streams_group_topology_description_value& in) {
  return {.topology_epoch = in.topology_epoch, .encoded = in.encoded.str()};
}

bytes encode(const group::role_tasks& value) { return encode_target(value); }
bytes encode(const group::current_assignment& value) { return encode_current(value); }
bytes encode(const group::topology& value) { return encode_topology(value); }

group::committed_offset to_group(const p::offset_commit_value& in) {
  return {.offset = in.offset,
          .leader_epoch = in.leader_epoch,
          .metadata = in.metadata.str(),
          .commit_timestamp_ms = in.commit_timestamp,
          .expire_timestamp_ms = in.expire_timestamp,
          .topic_id = in.topic_id};
}

/// The value of a record in the core's terms; an absent value stays absent.
template <class Value>
using decoded = result<std::optional<Value>>;

template <class Wire>
auto decode_with(std::optional<byte_view> value) -> decoded<decltype(to_group(Wire{}))> {
  using core = decltype(to_group(Wire{}));
  if (!value) return std::optional<core>();
  auto wire = p::decode_record_value<Wire>(*value);
  if (!wire) return tl::unexpected(wire.error());
  return std::optional<core>(to_group(*wire));
}

}  // namespace

record_key key_of(std::string_view group_id, const group::record& r) noexcept {
  record_key key;
  key.type = group::type_of(r);
  key.group_id = group_id;
  std::visit(overloaded{[&](const group::member_metadata_record& m) { key.name = m.member_id; },
                        [&](const group::target_member_record& m) { key.name = m.member_id; },
                        [&](const group::current_assignment_record& m) { key.name = m.member_id; },
                        [&](const group::offset_record& o) {
                          key.name = o.topic;
                          key.partition = o.partition;
                        },
                        [](const auto&) {}},
             r);
  return key;
}

bytes encode_key(const record_key& key) {
  bytes out;
  out.reserve(2 + 2 + key.group_id.size() + 2 + key.name.size() + 4);
  p::wire::writer writer(out);
  writer.int16(key.type);
  writer.string(key.group_id, false);
  if (has_member(key.type) || key.type == offset_type) writer.string(key.name, false);
  if (key.type == offset_type) writer.int32(key.partition);
  return out;
}

std::optional<bytes> encode_value(const group::record& r) {
  return std::visit(
      [](const auto& any) -> std::optional<bytes> {
        if (!any.value) return std::nullopt;
        return encode(*any.value);
      },
      r);
}

result<std::optional<record_key>> decode_key(byte_view data) {
  const auto type = p::record_type(data);
  if (!type) return fail("record key without a type");
  p::wire::reader in(data.subspan(sizeof *type));
  record_key key;
  key.type = *type;
  if (key.type == legacy_offset_type) key.type = offset_type;
  if (key.type != offset_type && !is_known(key.type)) return std::optional<record_key>();
  key.group_id = in.string(false).view();
  if (has_member(key.type) || key.type == offset_type) key.name = in.string(false).view();
  if (key.type == offset_type) key.partition = in.int32();
  if (in.ok() && in.left() > 0) in.fail("bytes left over");
  if (!in.ok()) return fail(fmt::format("key of record type {}: {}", key.type, in.reason()));
  return std::optional(key);
}

result<group::record> decode_record(const record_key& key, std::optional<byte_view> value) {
  const std::string name(key.name);
  switch (key.type) {
    case 1:
      return decode_with<p::offset_commit_value>(value).map([&](auto v) -> group::record {
        return group::offset_record{name, key.partition, std::move(v)};
      });
    case classic_type:
      return decode_with<p::group_metadata_value>(value).map(
          [](auto v) -> group::record { return group::classic_group_record{std::move(v)}; });
    case consumer_type:
      return decode_with<p::consumer_group_metadata_value>(value).map(
          [](auto v) -> group::record { return group::consumer_group_record{std::move(v)}; });
    case group::topology_description_type:
      return decode_with<p::streams_group_topology_description_value>(value).map(
          [](auto v) -> group::record { return group::topology_description_record{std::move(v)}; });
    case 17:
      return decode_with<p::streams_group_metadata_value>(value).map(
          [](auto v) -> group::record { return group::group_metadata_record{std::move(v)}; });
    case 19:
      return decode_with<p::streams_group_member_metadata_value>(value).map([&](auto v) -> group::record {
        return group::member_metadata_record{name, std::move(v)};
      });
    case 20:
      return decode_with<p::streams_group_target_assignment_metadata_value>(value).map(
          [](auto v) -> group::record { return group::target_metadata_record{std::move(v)}; });
    case 21:
      return decode_target(value).map([&](auto v) -> group::record {
        return group::target_member_record{name, std::move(v)};
      });
    case 22:
      return decode_current(value).map([&](auto v) -> group::record {
        return group::current_assignment_record{name, std::move(v)};
      });
    case 23:
      return decode_topology(value).map([](auto v) -> group::record { return group::topology_record{std::move(v)}; });
    default: return fail(fmt::format("record type {} is not one of a streams group", key.type));
  }
}

}  // namespace weir::storage
