// The hashes of spec 02, section 7, against those of Kafka 4.4.0 (golden/topic-hash.json), and what changes them.
#include "metadata/topic_hash.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <random>

#include "base/utf16.hpp"

namespace weir::metadata {
namespace {

simdjson::dom::element golden() {
  static simdjson::dom::parser parser;
  return parser.load(WEIR_SOURCE_DIR "/tests/conformance/golden/topic-hash.json");
}

std::string text_of(simdjson::dom::element element) { return std::string(std::string_view(element)); }

std::int64_t hash_of(simdjson::dom::element element) { return std::stoll(text_of(element["hash"])); }

std::uint64_t from_hex(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

std::string to_hex(const bytes& data) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (auto byte : data) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

topic read_topic(simdjson::dom::element vector) {
  topic read;
  read.name = text_of(vector["name"]);
  auto id = text_of(vector["topicIdHex"]);
  read.id = {from_hex(id.substr(0, 16)), from_hex(id.substr(16))};
  for (auto partition : vector["partitionRacks"].get_array()) {
    auto& racks = read.partition_racks.emplace_back();
    for (auto rack : partition.get_array()) racks.push_back(text_of(rack));
  }
  return read;
}

std::int64_t hash_in_chunks(const bytes& input, std::mt19937_64& random) {
  auto* state = XXH3_createState();
  XXH3_64bits_reset(state);
  for (std::size_t at = 0; at < input.size();) {
    auto chunk = std::min<std::size_t>(random() % 100, input.size() - at);
    XXH3_64bits_update(state, input.data() + at, chunk);
    at += chunk;
  }
  auto hash = static_cast<std::int64_t>(XXH3_64bits_digest(state));
  XXH3_freeState(state);
  return hash;
}

TEST(topic_hash, equals_every_vector_of_kafka) {
  std::mt19937_64 random(7);
  std::size_t checked = 0;
  for (auto vector : golden()["topics"].get_array()) {
    SCOPED_TRACE(text_of(vector["label"]) + " " + text_of(vector["note"]));
    topic topic = read_topic(vector);
    auto input = topic_hash_input(topic);
    EXPECT_EQ(topic.id.to_string(), text_of(vector["topicId"]));
    EXPECT_EQ(input.size(), std::uint64_t(vector["preimageLength"]));
    if (std::string_view hex; vector["preimageHex"].get(hex) == simdjson::SUCCESS) {
      EXPECT_EQ(to_hex(input), hex);
    }
    EXPECT_EQ(topic_hash(topic), hash_of(vector));
    EXPECT_EQ(hash_in_chunks(input, random), hash_of(vector));
    ++checked;
  }
  EXPECT_EQ(checked, 61U);
}

TEST(group_hash, equals_every_vector_of_kafka) {
  std::size_t checked = 0;
  for (auto vector : golden()["groups"].get_array()) {
    SCOPED_TRACE(text_of(vector["label"]) + " " + text_of(vector["note"]));
    std::vector<std::pair<std::u16string, std::int64_t>> topics;
    for (auto topic : vector["topics"].get_array()) {
      topics.emplace_back(to_utf16(text_of(topic["name"])), hash_of(topic));
    }
    std::ranges::sort(topics);
    std::vector<std::int64_t> hashes;
    for (const auto& [name, hash] : topics) hashes.push_back(hash);
    EXPECT_EQ(group_hash(hashes), hash_of(vector));
    ++checked;
  }
  EXPECT_EQ(checked, 28U);
}

TEST(topic_hash, of_text_that_is_not_utf8_is_that_of_the_replacement_character) {  // 7.1
  topic broken{uuid{1, 2}, "t", {{"r\xFF"}}};
  topic replaced{uuid{1, 2}, "t", {{"r\xEF\xBF\xBD"}}};
  EXPECT_EQ(topic_hash(broken), topic_hash(replaced));
}

// ---- properties (spec 02, section 9) ----

topic random_topic(std::mt19937_64& random) {
  static const std::vector<std::string> racks{"r1", "r10", "r2", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xEE\x80\x80", ""};
  topic made{uuid{random(), random()}, "t" + std::to_string(random() % 1000), {}};
  made.partition_racks.resize(1 + random() % 6);
  for (auto& partition : made.partition_racks) {
    for (auto n = random() % 4; n > 0; --n) partition.push_back(racks[random() % racks.size()]);
  }
  return made;
}

TEST(topic_hash, does_not_depend_on_the_order_of_replicas) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    topic topic = random_topic(random);
    auto before = topic_hash(topic);
    for (auto& racks : topic.partition_racks) std::ranges::shuffle(racks, random);
    ASSERT_EQ(topic_hash(topic), before);
  }
}

TEST(topic_hash, depends_on_the_order_of_partitions_unless_their_racks_are_equal) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    topic topic = random_topic(random);
    for (auto& racks : topic.partition_racks) std::ranges::sort(racks);
    auto permuted = topic;
    std::ranges::shuffle(permuted.partition_racks, random);
    ASSERT_EQ(topic_hash(topic) == topic_hash(permuted), topic == permuted);
  }
}

TEST(topic_hash, changes_with_id_name_count_and_each_rack) {  // 7.4
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const topic topic = random_topic(random);
    auto hash = topic_hash(topic);
    auto other_id = topic;
    (random() % 2 ? other_id.id.high : other_id.id.low) ^= std::uint64_t{1} << random() % 64;
    ASSERT_NE(topic_hash(other_id), hash);
    auto other_name = topic;
    other_name.name += "x";
    ASSERT_NE(topic_hash(other_name), hash);
    auto grown = topic;
    grown.partition_racks.emplace_back();
    ASSERT_NE(topic_hash(grown), hash);
    auto moved = topic;
    auto& racks = moved.partition_racks[random() % moved.partition_racks.size()];
    if (racks.empty()) {
      racks.emplace_back("new");
    } else {
      racks[random() % racks.size()] += "x";
    }
    ASSERT_NE(topic_hash(moved), hash);
  }
}

}  // namespace
}  // namespace weir::metadata
