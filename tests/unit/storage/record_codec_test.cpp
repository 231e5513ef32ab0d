// Kafka's own record bytes (tests/conformance/golden/records) read to the stated fields and are written back unchanged.
#include "storage/record_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace weir::storage {
namespace {

struct vector {
  std::string name;
  bytes key;
  std::optional<bytes> value;
};

bytes from_hex(std::string_view hex) {
  bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

/// The string behind `"name" : "`; nothing if it is null.
std::optional<std::string> string_field(const std::string& json, const std::string& name) {
  const auto start = json.find("\"" + name + "\" : \"");
  if (start == std::string::npos) return std::nullopt;
  const auto from = start + name.size() + 6;
  return json.substr(from, json.find('"', from) - from);
}

std::map<std::string, vector> load_vectors() {
  std::map<std::string, vector> out;
  for (const auto& file : std::filesystem::directory_iterator(WEIR_SOURCE_DIR "/tests/conformance/golden/records")) {
    std::stringstream content;
    content << std::ifstream(file.path()).rdbuf();
    const auto json = content.str();
    const auto name = file.path().filename().string().substr(0, 3);
    const auto value = string_field(json, "valueHex");
    out[name] = {name, from_hex(string_field(json, "keyHex").value()),
                 value ? std::optional(from_hex(*value)) : std::nullopt};
  }
  return out;
}

const vector& golden(const std::string& name) {
  static const auto all = load_vectors();
  return all.at(name);
}

group::record decoded(const std::string& name) {
  const auto& v = golden(name);
  const auto key = decode_key(v.key);
  EXPECT_TRUE(key && *key) << name;
  const auto r = decode_record(**key, v.value ? std::optional<byte_view>(*v.value) : std::nullopt);
  EXPECT_TRUE(r) << name << ": " << (r ? "" : r.error().message);
  return *r;
}

// Legacy layouts that are read and written back in the layout of today.
const std::set<std::string> rewritten = {"r05", "r18", "r19", "r26", "r28"};

TEST(record_codec, spec04_17_1_every_vector_is_written_back_byte_for_byte) {
  const auto all = load_vectors();
  ASSERT_EQ(all.size(), 30U);
  for (const auto& [name, v] : all) {
    const auto key = decode_key(v.key);
    ASSERT_TRUE(key) << name;
    if (!*key) continue;
    EXPECT_EQ(encode_key(**key), v.key) << name;
    const auto r = decoded(name);
    EXPECT_EQ(key_of("orders-app", r), **key) << name;
    if (!rewritten.contains(name)) {
      EXPECT_EQ(encode_value(r), v.value) << name;
    }
  }
}

TEST(record_codec, legacy_layouts_mean_the_same_after_rewriting) {
  for (const auto& name : rewritten) {
    const auto r = decoded(name);
    const auto value = encode_value(r);
    ASSERT_TRUE(value);
    const auto again = decode_record(key_of("orders-app", r), byte_view(*value));
    ASSERT_TRUE(again) << name;
    EXPECT_EQ(*again, r) << name;
  }
}

TEST(record_codec, spec04_1_absent_empty_and_null_lists_read_alike) {
  const auto all_tags = std::get<group::group_metadata_record>(decoded("r04")).value.value();
  EXPECT_EQ(all_tags.epoch, 9);
  EXPECT_EQ(all_tags.metadata_hash, 1);
  EXPECT_EQ(all_tags.validated_topology_epoch, 3);
  EXPECT_EQ(all_tags.stored_description_epoch, -2);
  EXPECT_EQ(all_tags.failed_description_epoch, 2);
  EXPECT_TRUE(all_tags.assignment_configs.empty());
  EXPECT_TRUE(std::get<group::group_metadata_record>(decoded("r05")).value->assignment_configs.empty());
}

TEST(record_codec, spec04_2_6_tasks_without_assignment_epochs_take_the_member_epoch) {
  const auto legacy = std::get<group::current_assignment_record>(decoded("r18")).value.value();
  EXPECT_EQ(legacy.member_epoch, 5);
  EXPECT_EQ(legacy.assigned.active, (group::task_epochs{{"0", {{0, 5}, {1, 5}}}}));
  const auto null_epochs = std::get<group::current_assignment_record>(decoded("r19")).value.value();
  for (const auto& [subtopology, partitions] : null_epochs.assigned.active) {
    for (const auto& [partition, epoch] : partitions) EXPECT_EQ(epoch, null_epochs.member_epoch);
  }
}

TEST(record_codec, spec04_2_6_a_static_leave_keeps_epochs_zero) {
  const auto left = std::get<group::current_assignment_record>(decoded("r20"));
  EXPECT_EQ(left.member_id, "JqkTJbT_TfiMv0v_UgMbuQ");
  EXPECT_EQ(left.value->member_epoch, -2);
  EXPECT_EQ(left.value->assigned.active, (group::task_epochs{{"0", {{1, 0}, {3, 0}}}}));
}

TEST(record_codec, spec04_2_7_topology_keeps_order_and_indexes) {
  const auto topology = std::get<group::topology_record>(decoded("r22")).value.value();
  ASSERT_EQ(topology.subtopologies.size(), 2U);
  EXPECT_EQ(topology.subtopologies[0].source_topics, (std::vector<std::string>{"orders", "customers"}));
  EXPECT_EQ(topology.subtopologies[0].copartition_groups.at(0).source_topics, (std::vector<std::int16_t>{0, 1}));
  EXPECT_EQ(topology.subtopologies[1].repartition_source_topics.at(0).replication_factor, 3);
  EXPECT_EQ(topology.subtopologies[1].state_changelog_topics.at(0).configs.at(0).second, "compact");
}

TEST(record_codec, spec04_2_8_offsets_of_every_value_version) {
  const auto v4 = std::get<group::offset_record>(decoded("r24"));
  EXPECT_EQ(v4.topic, "orders");
  EXPECT_EQ(v4.partition, 3);
  EXPECT_EQ(v4.value->offset, 136);
  EXPECT_EQ(v4.value->metadata, "AgAAAaIoqsgW");
  EXPECT_EQ(v4.value->topic_id.to_string(), "cgOPyQOdTM6JmZdmHI8o6Q");
  EXPECT_EQ(std::get<group::offset_record>(decoded("r26")).value->leader_epoch, 2);
  EXPECT_EQ(std::get<group::offset_record>(decoded("r27")).value->expire_timestamp_ms, 99);
  EXPECT_EQ(std::get<group::offset_record>(decoded("r28")).value->leader_epoch, -1);
}

TEST(record_codec, spec04_8_3_the_legacy_key_type_reads_as_an_offset) {
  auto key = golden("r24").key;
  key[1] = 0;
  EXPECT_EQ(decode_key(key).value()->type, 1);
}

TEST(record_codec, spec04_8_4_unknown_types_are_skipped_and_unknown_value_versions_refused) {
  EXPECT_EQ(decode_key(golden("r30").key).value()->type, 2) << "a classic group";
  auto key = golden("r01").key;
  key[1] = 99;
  EXPECT_FALSE(decode_key(key).value());
  auto value = golden("r01").value.value();
  value[1] = 1;
  EXPECT_FALSE(decode_record(decode_key(golden("r01").key).value().value(), byte_view(value)));
}

TEST(record_codec, cut_bytes_are_errors) {
  for (const auto& [name, v] : load_vectors()) {
    if (!v.value) continue;
    const auto key = decode_key(v.key).value();
    ASSERT_TRUE(key);
    for (std::size_t size = 0; size < v.value->size(); ++size) {
      EXPECT_FALSE(decode_record(*key, byte_view(*v.value).first(size))) << name << " cut to " << size;
    }
  }
}

TEST(record_codec, a_consumer_group_as_a_4_4_broker_wrote_it) {
  const bytes key = {0, 3, 0, 1, 'g'};
  const bytes with_hash = {0, 0, 0, 0, 0, 2, 1, 0, 8, 0x34, 0x33, 0x38, 0xb4, 0x6a, 0x47, 0x9d, 0xd4};
  const bytes without = {0, 0, 0, 0, 0, 3, 0};
  const auto decoded_key = decode_key(key);
  ASSERT_TRUE(decoded_key && *decoded_key);
  const auto with = decode_record(**decoded_key, byte_view(with_hash));
  ASSERT_TRUE(with);
  const group::consumer_metadata expected{.epoch = 2, .metadata_hash = 0x343338b46a479dd4};
  EXPECT_EQ(*with, group::record(group::consumer_group_record{expected}));
  EXPECT_EQ(encode_value(*with), with_hash);
  EXPECT_EQ(encode_key(key_of("g", *with)), key);
  const group::record empty = group::consumer_group_record{group::consumer_metadata{.epoch = 3, .metadata_hash = 0}};
  EXPECT_EQ(*decode_record(**decoded_key, byte_view(without)), empty);
  EXPECT_EQ(encode_value(empty), without);
}

TEST(record_codec, records_of_classic_groups_and_descriptions_come_back) {
  group::classic_metadata classic;
  classic.protocol_type = "consumer";
  classic.generation = 3;
  classic.state_timestamp_ms = 17;
  const group::topology_description description{.topology_epoch = 2, .encoded = std::string("\0a\xff", 3)};
  for (const group::record& r : {group::record(group::classic_group_record{classic}),
                                 group::record(group::topology_description_record{description})}) {
    const auto key = encode_key(key_of("g", r));
    const auto decoded_key = decode_key(key);
    ASSERT_TRUE(decoded_key);
    ASSERT_TRUE(*decoded_key);
    EXPECT_EQ((*decoded_key)->group_id, "g");
    const auto value = encode_value(r);
    ASSERT_TRUE(value);
    const auto decoded = decode_record(**decoded_key, byte_view(*value));
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, r);
  }
}

}  // namespace
}  // namespace weir::storage
