#include "gateway/group_rights.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace weir::gateway {
namespace {

using protocol::error_code;

constexpr std::int32_t read_and_describe = 1 << 3 | 1 << 8;

described_group says(error_code error, std::int32_t operations = read_and_describe) {
  described_group group;
  group.error_code = protocol::code_of(error);
  group.authorized_operations = operations;
  return group;
}

class group_rights_test : public ::testing::Test {
 protected:
  bool may(operation wanted, std::int64_t now_ms) { return rights.allowed("g", wanted, now_ms).allowed; }

  group_rights rights;
};

TEST_F(group_rights_test, spec_05_7_each_operation_has_its_own_bit) {
  EXPECT_EQ(judge(says(error_code::none), operation::read), error_code::none);
  EXPECT_EQ(judge(says(error_code::none), operation::describe), error_code::none);
  EXPECT_EQ(judge(says(error_code::none), operation::remove), error_code::group_authorization_failed);
  EXPECT_EQ(judge(says(error_code::none, 1 << 6), operation::remove), error_code::none);
  EXPECT_EQ(judge(says(error_code::none, 1 << 8), operation::read), error_code::group_authorization_failed);
  EXPECT_EQ(judge(says(error_code::none, std::numeric_limits<std::int32_t>::min()), operation::read), error_code::none);
  EXPECT_EQ(judge(says(error_code::group_authorization_failed), operation::describe),
            error_code::group_authorization_failed);
  EXPECT_EQ(judge(says(error_code::not_coordinator), operation::read), error_code::not_coordinator);
}

TEST_F(group_rights_test, nothing_is_allowed_before_the_upstream_spoke) { EXPECT_FALSE(may(operation::read, 0)); }

TEST_F(group_rights_test, an_old_word_serves_while_it_is_asked_again_once) {
  rights.told("g", says(error_code::none), 0);
  EXPECT_FALSE(rights.allowed("g", operation::read, group_rights::fresh_ms - 1).ask);
  const auto old = rights.allowed("g", operation::read, group_rights::fresh_ms);
  EXPECT_TRUE(old.allowed);
  EXPECT_TRUE(old.ask);
  const auto again = rights.allowed("g", operation::read, group_rights::fresh_ms);
  EXPECT_TRUE(again.allowed);
  EXPECT_FALSE(again.ask) << "the question is under way";
}

TEST_F(group_rights_test, a_word_has_an_end_unless_the_upstream_owes_the_next) {
  rights.told("g", says(error_code::none), 0);
  EXPECT_FALSE(may(operation::read, group_rights::usable_ms)) << "nobody asked for a minute";
  EXPECT_TRUE(rights.allowed("g", operation::read, group_rights::fresh_ms).ask);
  EXPECT_TRUE(may(operation::read, group_rights::usable_ms)) << "a silent upstream does not end members";
}

TEST_F(group_rights_test, a_refusal_takes_the_right_away) {
  rights.told("g", says(error_code::none), 0);
  rights.told("g", says(error_code::group_authorization_failed), 1);
  EXPECT_FALSE(may(operation::read, 1));
  rights.told("g", says(error_code::none), 2);
  rights.told("g", says(error_code::none, 1 << 8), 3);
  EXPECT_FALSE(may(operation::read, 3));
  EXPECT_TRUE(may(operation::describe, 3));
}

TEST_F(group_rights_test, spec_05_8_11_9_a_coordinator_that_moves_takes_nothing_away) {
  rights.told("g", says(error_code::none), 0);
  ASSERT_TRUE(rights.allowed("g", operation::read, group_rights::fresh_ms).ask);
  rights.told("g", says(error_code::not_coordinator), group_rights::fresh_ms);
  EXPECT_TRUE(may(operation::read, group_rights::fresh_ms));
  rights.not_told("g", group_rights::usable_ms);
  EXPECT_TRUE(may(operation::read, group_rights::usable_ms));
  EXPECT_TRUE(rights.allowed("g", operation::read, group_rights::usable_ms + group_rights::fresh_ms).ask);
}

TEST_F(group_rights_test, a_connection_that_names_many_groups_keeps_the_last_ones) {
  for (std::size_t i = 0; i <= group_rights::groups_max; ++i) {
    rights.told(std::to_string(i), says(error_code::none), static_cast<std::int64_t>(i));
  }
  const auto now_ms = static_cast<std::int64_t>(group_rights::groups_max);
  EXPECT_FALSE(rights.allowed("0", operation::read, now_ms).allowed);
  EXPECT_TRUE(rights.allowed("1", operation::read, now_ms).allowed);
}

}  // namespace
}  // namespace weir::gateway
