#include "base/uuid.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(uuid_test, spec_02_7_1_prints_and_parses_the_canonical_form) {
  const uuid id{0x0123456789abcdefULL, 0x0fedcba987654321ULL};
  EXPECT_EQ(id.to_string(), "ASNFZ4mrze8P7cuph2VDIQ");
  EXPECT_EQ(uuid::parse("ASNFZ4mrze8P7cuph2VDIQ"), id);
  EXPECT_EQ(uuid{}.to_string(), "AAAAAAAAAAAAAAAAAAAAAA");
}

TEST(uuid_test, a_wrong_text_is_refused_with_a_reason) {
  EXPECT_FALSE(uuid::parse("short").has_value());
  EXPECT_FALSE(uuid::parse("ASNFZ4mrze8P7cuph2VDI!").has_value());
}

TEST(uuid_test, random_ids_are_never_zero_never_start_with_a_dash_and_survive_their_text) {
  seeded_random random(1);
  for (int i = 0; i < 1000; ++i) {
    const uuid id = uuid::random(random);
    EXPECT_FALSE(id.is_zero());
    EXPECT_NE(id.to_string().front(), '-');
    EXPECT_EQ(uuid::parse(id.to_string()), id);
    EXPECT_EQ(uuid::from_bytes(id.bytes().data()), id);
  }
}

}  // namespace
}  // namespace weir
