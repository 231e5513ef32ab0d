// Spec 04, section 1: int16 type in front of a key, int16 version in front of a value.
#include "protocol/group_records.hpp"

#include <gtest/gtest.h>

#include "protocol/messages/offset_commit_value.hpp"
#include "protocol/messages/streams_group_metadata_value.hpp"

namespace weir::protocol {
namespace {

TEST(group_records_test, a_key_carries_its_type) { EXPECT_EQ(record_type(bytes{0, 19, 0, 1, 'g', 0, 1, 'm'}), 19); }

TEST(group_records_test, a_value_carries_its_version) {
  offset_commit_value commit;
  commit.offset = 7;
  for (std::int16_t version = 0; version <= 4; ++version) {
    const auto value = encode_record_value(commit, version);
    EXPECT_EQ(value_version(value), version);
    EXPECT_EQ(decode_record_value<offset_commit_value>(value).value().offset, 7);
  }
  EXPECT_EQ(value_version(encode_record_value(commit)), 4);
}

TEST(group_records_test, an_unknown_value_version_is_an_error) {
  const bytes value = {0, 1, 0, 0, 0, 1};
  const auto decoded = decode_record_value<streams_group_metadata_value>(value);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "StreamsGroupMetadataValue: unknown version 1");
}

TEST(group_records_test, too_short_to_have_a_type) {
  EXPECT_EQ(record_type(bytes{0}), std::nullopt);
  EXPECT_EQ(value_version({}), std::nullopt);
  EXPECT_FALSE(decode_record_value<streams_group_metadata_value>({}));
}

}  // namespace
}  // namespace weir::protocol
