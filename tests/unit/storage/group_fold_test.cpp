// What a log of Kafka's says at its end: newest wins, transactions, kinds of groups (spec 04, section 8).
#include "storage/group_fold.hpp"

#include <gmock/gmock.h>

#include "protocol/group_records.hpp"
#include "protocol/messages/group_metadata_value.hpp"
#include "protocol/wire/writer.hpp"
#include "record_samples.hpp"
#include "storage/record_codec.hpp"

namespace weir::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Adds records at rising positions.
class group_fold_test : public ::testing::Test {
 protected:
  void add(const std::string& group_id, const group::record& r, std::optional<std::int64_t> producer = {}) {
    const auto key = encode_key(key_of(group_id, r));
    const auto value = encode_value(r);
    ASSERT_TRUE(add_bytes(key, value ? std::optional<byte_view>(*value) : std::nullopt, producer));
  }
  result<void> add_bytes(byte_view key, std::optional<byte_view> value, std::optional<std::int64_t> producer = {}) {
    return fold.add({position++, producer, key, value});
  }
  /// A record of a type that Weir has no records for.
  void add_foreign(std::int16_t type, const std::string& group_id, bool live = true) {
    bytes key;
    protocol::wire::writer writer(key);
    writer.int16(type);
    writer.string(group_id, false);
    const bytes value = {0, 0};
    ASSERT_TRUE(add_bytes(key, live ? std::optional<byte_view>(value) : std::nullopt));
  }
  void add_classic(const std::string& group_id, std::size_t members) {
    protocol::group_metadata_value value;
    value.protocol_type = "consumer";
    value.members.resize(members);
    const auto encoded = protocol::encode_record_value(value, 3);
    ASSERT_TRUE(add_bytes(encode_key({.type = 2, .group_id = group_id, .name = {}}), byte_view(encoded)));
  }
  static group::record no_offset(const std::string& topic, std::int32_t partition) {
    return group::offset_record{topic, partition, std::nullopt};
  }

  group_fold fold{fold_options{}};
  std::int64_t position = 0;
};

std::string skipped(const folded_log& log) {
  std::string out;
  for (const auto& group : log.skipped) out += group.id + ": " + group.why + "; ";
  return out;
}

TEST_F(group_fold_test, the_newest_record_of_a_key_counts_and_a_tombstone_removes) {
  add("g", group_epoch(1));
  add("g", offset("t", 0, 5));
  add("g", offset("t", 1, 7));
  add("g", group_epoch(2));
  add("g", no_offset("t", 1));
  add("gone", group_epoch(1));
  add("gone", group::group_metadata_record{});
  const auto log = fold.finish();
  ASSERT_EQ(log.groups.size(), 1U);
  EXPECT_EQ(log.groups[0].kind, "streams group");
  EXPECT_THAT(log.groups[0].records, ElementsAre(offset("t", 0, 5), group_epoch(2)));
  EXPECT_EQ(log.groups[0].offsets, 1U);
  EXPECT_EQ(log.read, 7U);
}

TEST_F(group_fold_test, spec04_8_3_only_committed_transactions_count) {
  add("g", offset("t", 0, 1), 7);
  add("g", offset("t", 1, 1), 8);
  add("g", offset("t", 2, 1), 9);
  fold.end_transaction(7, true);
  fold.end_transaction(8, false);
  fold.end_transaction(99, true);
  const auto log = fold.finish();
  ASSERT_EQ(log.groups.size(), 1U);
  EXPECT_THAT(log.groups[0].records, ElementsAre(offset("t", 0, 1)));
  EXPECT_EQ(log.aborted, 1U);
  EXPECT_EQ(log.open, 1U);
}

TEST_F(group_fold_test, spec04_8_3_a_commit_between_record_and_marker_is_newer) {
  add("g", offset("t", 0, 1), 7);
  add("g", offset("t", 0, 2));
  fold.end_transaction(7, true);
  EXPECT_THAT(fold.finish().groups.at(0).records, ElementsAre(offset("t", 0, 2)));
}

TEST_F(group_fold_test, spec04_8_3_a_tombstone_removes_what_is_pending) {
  add("g", offset("t", 0, 1), 7);
  add("g", no_offset("t", 0));
  fold.end_transaction(7, true);
  EXPECT_TRUE(fold.finish().groups.empty());
}

TEST_F(group_fold_test, groups_of_other_protocols_are_skipped_if_they_live) {
  add_classic("live", 2);
  add("live", offset("t", 0, 1));
  add_classic("still", 0);
  add("still", offset("t", 0, 2));
  add("consumers", consumer_epoch(3));
  add_foreign(5, "consumers");
  add("consumers", offset("t", 0, 3));
  add("empty-consumers", consumer_epoch(4));
  add_foreign(5, "empty-consumers");
  add_foreign(5, "empty-consumers", false);
  add("empty-consumers", offset("t", 0, 4));
  add_foreign(11, "share");
  add("simple", offset("t", 0, 5));
  const auto log = fold.finish();
  EXPECT_EQ(skipped(log), "consumers: a consumer group with members; live: a classic group with members; "
                          "share: a share group; ");
  ASSERT_EQ(log.groups.size(), 3U);
  EXPECT_EQ(log.groups[0].id, "empty-consumers");
  EXPECT_EQ(log.groups[0].kind, "consumer group");
  EXPECT_THAT(log.groups[0].records, ElementsAre(offset("t", 0, 4), consumer_epoch(4)));
  EXPECT_EQ(log.left_over, 0U);
  EXPECT_EQ(log.groups[1].id, "simple");
  EXPECT_EQ(log.groups[1].kind, "offsets");
  EXPECT_EQ(log.groups[2].id, "still");
  EXPECT_EQ(log.groups[2].kind, "classic group");
  EXPECT_EQ(log.groups[2].records.size(), 2U);
}

TEST_F(group_fold_test, spec04_8_5_of_two_kinds_under_one_id_the_later_counts) {
  add("g", group_epoch(4));
  add("g", member("m"));
  add_classic("g", 0);
  add("g", offset("t", 0, 1));
  const auto log = fold.finish();
  ASSERT_EQ(log.groups.size(), 1U);
  EXPECT_EQ(log.groups[0].kind, "classic group");
  EXPECT_EQ(log.groups[0].records.size(), 2U);
  EXPECT_EQ(log.left_over, 2U);
}

TEST_F(group_fold_test, spec04_8_5_assignments_alone_make_no_streams_group) {
  add("g", group::target_member_record{"m", group::role_tasks{}});
  const auto log = fold.finish();
  EXPECT_TRUE(log.groups.empty());
  EXPECT_EQ(log.left_over, 1U);
}

TEST_F(group_fold_test, spec04_8_6_partition_metadata_and_unknown_types_are_counted) {
  add_foreign(4, "g");
  add_foreign(18, "g");
  add_foreign(99, "g");
  const auto log = fold.finish();
  EXPECT_EQ(log.partition_metadata, 2U);
  EXPECT_EQ(log.unknown, 1U);
  EXPECT_TRUE(log.groups.empty() && log.skipped.empty());
}

TEST_F(group_fold_test, only_the_groups_that_were_named) {
  fold = group_fold({.groups = {"b"}});
  add("a", group_epoch(1));
  add("b", group_epoch(1));
  add_foreign(5, "c");
  const auto log = fold.finish();
  ASSERT_EQ(log.groups.size(), 1U);
  EXPECT_EQ(log.groups[0].id, "b");
  EXPECT_TRUE(log.skipped.empty());
}

TEST_F(group_fold_test, spec04_8_4_what_does_not_fit_is_an_error) {
  const bytes short_key = {0};
  EXPECT_FALSE(add_bytes(short_key, std::nullopt));
  const auto key = encode_key(key_of("g", group_epoch(1)));
  const bytes unknown_version = {0, 9, 0, 0};
  const auto refused = add_bytes(key, byte_view(unknown_version));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("record type 17 of group 'g'"));
  const auto too_long = add_bytes(encode_key(key_of(std::string(id_bytes_max + 1, 'g'), group_epoch(1))), std::nullopt);
  ASSERT_FALSE(too_long);
  EXPECT_THAT(too_long.error().message, HasSubstr("longer than 249 bytes"));
}

TEST_F(group_fold_test, what_is_held_is_limited_and_what_is_replaced_does_not_count) {
  fold = group_fold({.groups = {}, .bytes_max = 200});
  for (int i = 0; i < 100; ++i) add("g", offset("t", 0, i));
  for (int i = 0; i < 100; ++i) {
    add("g", offset("t", 0, i), 7);
    fold.end_transaction(7, i % 2 == 0);
  }
  const auto r = offset(std::string(200, 't'), 0, 1);
  EXPECT_FALSE(add_bytes(encode_key(key_of("g", r)), byte_view(*encode_value(r))));
}

}  // namespace
}  // namespace weir::storage
