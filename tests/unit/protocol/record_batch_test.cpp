// Record batches: those that Kafka's own classes wrote (tests/conformance/golden/batches), and ours.
#include "protocol/record_batch.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/random.hpp"
#include "protocol/crc32c.hpp"
#include "protocol/gzip.hpp"

namespace weir::protocol {
namespace {

using ::testing::HasSubstr;

bytes golden(const std::string& name) {
  std::ifstream in(WEIR_SOURCE_DIR "/tests/conformance/golden/batches/" + name + ".log", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

byte_view view(const std::string& characters) {
  return {reinterpret_cast<const std::uint8_t*>(characters.data()), characters.size()};
}

std::string characters(const std::optional<byte_view>& data) {
  return data ? std::string(data->begin(), data->end()) : "(none)";
}

std::size_t size_at(const bytes& log, std::size_t at) {
  const auto size = batch_size(byte_view(log).subspan(at, batch_prefix_bytes));
  EXPECT_TRUE(size) << size.error().message;
  return size.value_or(log.size());
}

/// All batches of a log; the log must outlive them.
std::vector<record_batch> all_batches(const bytes& log) {
  std::vector<record_batch> out;
  for (std::size_t at = 0; at < log.size();) {
    const auto size = size_at(log, at);
    auto batch = decode_batch(byte_view(log).subspan(at, size));
    EXPECT_TRUE(batch) << batch.error().message;
    if (batch) out.push_back(std::move(*batch));
    at += size;
  }
  return out;
}

const std::string long_value = [] {
  std::string out;
  for (int i = 0; i < 100; ++i) out += "three";
  return out;
}();

void expect_three(const record_batch& batch) {
  EXPECT_EQ(batch.base_offset, 10);
  EXPECT_EQ(batch.last_offset, 12);
  EXPECT_FALSE(batch.transactional || batch.control);
  ASSERT_EQ(batch.records.size(), 3U);
  EXPECT_EQ(characters(batch.records[0].key), "first");
  EXPECT_EQ(characters(batch.records[0].value), "one");
  EXPECT_EQ(batch.records[1].offset, 11);
  EXPECT_FALSE(batch.records[1].value) << "a tombstone";
  EXPECT_EQ(characters(batch.records[2].value), long_value);
}

TEST(crc32c_test, the_check_value_of_the_polynomial) {
  EXPECT_EQ(crc32c(view("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(record_batch_test, kafkas_batches_are_read) {
  const auto log = golden("plain");
  const auto batches = all_batches(log);
  ASSERT_EQ(batches.size(), 2U);
  expect_three(batches[0]);
  EXPECT_EQ(batches[1].base_offset, 13);
  EXPECT_EQ(characters(batches[1].records.at(0).value), "") << "empty is not absent";
}

TEST(record_batch_test, kafkas_gzip_is_read) {
  const auto log = golden("gzip");
  const auto batches = all_batches(log);
  ASSERT_EQ(batches.size(), 1U);
  expect_three(batches[0]);
}

TEST(record_batch_test, other_compressions_are_refused_by_name) {
  for (const std::string name : {"snappy", "lz4", "zstd"}) {
    const auto log = golden(name);
    const auto batch = decode_batch(log);
    ASSERT_FALSE(batch) << name;
    EXPECT_THAT(batch.error().message, HasSubstr("compressed with " + name));
  }
}

TEST(record_batch_test, transactions_and_their_markers) {
  const auto log = golden("transactions");
  const auto batches = all_batches(log);
  ASSERT_EQ(batches.size(), 4U);
  EXPECT_TRUE(batches[0].transactional && !batches[0].control);
  EXPECT_EQ(batches[0].producer_id, 7);
  EXPECT_TRUE(batches[2].control);
  EXPECT_EQ(transaction_commits(batches[2].records.at(0)).value(), true);
  EXPECT_EQ(batches[3].producer_id, 8);
  EXPECT_EQ(transaction_commits(batches[3].records.at(0)).value(), false);
}

TEST(record_batch_test, a_control_record_of_another_kind_ends_nothing) {
  const bytes leader_change = {0, 0, 0, 2};
  EXPECT_EQ(transaction_commits({0, byte_view(leader_change), std::nullopt}).value(), std::nullopt);
  EXPECT_FALSE(transaction_commits({0, std::nullopt, std::nullopt}));
  EXPECT_FALSE(transaction_commits({0, byte_view(leader_change).first(3), std::nullopt}));
}

TEST(record_batch_test, ours_are_kafkas_byte_for_byte) {
  const auto log = golden("plain");
  const auto size = size_at(log, 0);
  const std::vector<std::string> keys = {"first", "second", "third"};
  const std::string one = "one";
  const std::vector<batch_record> records = {{0, view(keys[0]), view(one)},
                                             {0, view(keys[1]), std::nullopt},
                                             {0, view(keys[2]), view(long_value)}};
  const auto ours = encode_batch(10, 1700000000123, records);
  ASSERT_EQ(ours.size(), size);
  constexpr std::ptrdiff_t leader_epoch_at = 12, leader_epoch_end = 16;  // a broker writes its own there
  EXPECT_TRUE(std::equal(ours.begin(), ours.begin() + leader_epoch_at, log.begin()));
  EXPECT_TRUE(std::equal(ours.begin() + leader_epoch_end, ours.end(), log.begin() + leader_epoch_end));
}

TEST(record_batch_test, what_is_written_is_read_back) {
  seeded_random random(20261130);
  const auto some = [&] { return std::string(random.next() % (random.next() % 5 == 0 ? 70000 : 90), 'x'); };
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<std::string, std::string>> texts(1 + random.next() % 40);
    for (auto& [key, value] : texts) key = some(), value = some();
    std::vector<batch_record> records;
    for (const auto& [key, value] : texts) {
      records.push_back({0, view(key), random.next() % 4 == 0 ? std::nullopt : std::optional(view(value))});
    }
    const auto base = static_cast<std::int64_t>(random.next() >> 2);
    const auto written = encode_batch(base, 17, records);
    EXPECT_EQ(size_at(written, 0), written.size());
    const auto batch = decode_batch(written);
    ASSERT_TRUE(batch) << batch.error().message;
    ASSERT_EQ(batch->records.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(batch->records[i].offset, base + static_cast<std::int64_t>(i));
      EXPECT_EQ(characters(batch->records[i].key), characters(records[i].key));
      EXPECT_EQ(characters(batch->records[i].value), characters(records[i].value));
    }
  }
}

TEST(record_batch_test, no_damaged_or_cut_batch_is_read) {
  const auto log = golden("gzip");
  for (std::size_t i = 12; i < log.size(); ++i) {
    if (i < 17) continue;  // leader epoch, which no checksum covers, and magic, which batch_size looks at
    auto damaged = log;
    damaged[i] ^= 0x10;
    EXPECT_FALSE(decode_batch(damaged)) << i;
    EXPECT_FALSE(decode_batch(byte_view(log).first(i))) << i;
  }
}

TEST(record_batch_test, what_begins_no_batch) {
  const auto log = golden("plain");
  const auto error_with = [&](std::size_t at, std::uint8_t value) {
    auto prefix = bytes(log.begin(), log.begin() + batch_prefix_bytes);
    prefix[at] = value;
    const auto size = batch_size(prefix);
    return size ? "" : size.error().message;
  };
  EXPECT_EQ(error_with(16, 1), "messages of the old format 1, which is not read");
  EXPECT_EQ(error_with(16, '{'), "not a record batch");
  EXPECT_EQ(error_with(0, 0x80), "not a record batch") << "a negative offset";
  EXPECT_EQ(error_with(8, 0x80), "not a record batch") << "a negative length";
  EXPECT_THAT(error_with(8, 0x7F), HasSubstr("at most 67108864 are read"));
}

TEST(record_batch_test, a_count_of_records_that_cannot_be_there_is_refused) {
  auto log = golden("gzip");
  log[57] = 0x7F;
  const auto checksum = crc32c(byte_view(log).subspan(21));
  for (std::size_t i = 0; i < 4; ++i) log[17 + i] = static_cast<std::uint8_t>(checksum >> (24 - 8 * i));
  const auto batch = decode_batch(log);
  ASSERT_FALSE(batch);
  EXPECT_THAT(batch.error().message, HasSubstr("records in "));
}

TEST(gzip_test, what_unpacks_to_more_than_the_limit_is_refused) {
  const auto log = golden("gzip");
  const auto packed = byte_view(log).subspan(61);
  const auto whole = gunzip(packed, 1000);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_TRUE(gunzip(packed, whole->size() + 1));
  EXPECT_FALSE(gunzip(packed, whole->size() - 1));
  EXPECT_FALSE(gunzip(packed.first(packed.size() - 1), 1000)) << "cut";
  EXPECT_FALSE(gunzip(packed.subspan(1), 1000)) << "not gzip";
}

}  // namespace
}  // namespace weir::protocol
