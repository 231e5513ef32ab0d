#include "protocol/error_codes.hpp"

#include <gtest/gtest.h>

namespace weir::protocol {
namespace {

TEST(error_codes_test, numbers_and_names_of_spec_05_4_0) {
  struct known {
    std::int16_t number;
    std::string_view name;
  };
  for (const auto& [number, kafka_name] : {known{3, "UNKNOWN_TOPIC_OR_PARTITION"}, {25, "UNKNOWN_MEMBER_ID"},
                                           {69, "GROUP_ID_NOT_FOUND"}, {113, "STALE_MEMBER_EPOCH"},
                                           {129, "REBOOTSTRAP_REQUIRED"}, {130, "STREAMS_INVALID_TOPOLOGY"}}) {
    EXPECT_EQ(name(static_cast<error_code>(number)), kafka_name);
  }
  EXPECT_EQ(code_of(error_code::unknown_member_id), 25);
  EXPECT_EQ(code_of(error_code::unknown_server_error), -1);
  EXPECT_EQ(code_of(error_code::none), 0);
}

TEST(error_codes_test, what_a_client_may_retry) {
  EXPECT_TRUE(retriable(error_code::coordinator_load_in_progress));
  EXPECT_TRUE(retriable(error_code::not_coordinator));
  EXPECT_FALSE(retriable(error_code::unknown_member_id));
  EXPECT_FALSE(retriable(error_code::none));
}

TEST(error_codes_test, an_unknown_number_has_no_name_and_is_final) {
  EXPECT_EQ(name(static_cast<error_code>(9999)), "UNKNOWN_ERROR_CODE");
  EXPECT_FALSE(retriable(static_cast<error_code>(9999)));
}

}  // namespace
}  // namespace weir::protocol
