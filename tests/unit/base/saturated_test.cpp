// Sums at the ends of what 64 bits hold.
#include "base/saturated.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto least = std::numeric_limits<std::int64_t>::min();

TEST(saturated, sums_stop_at_the_ends) {
  EXPECT_EQ(saturated_sum(2, -5), -3);
  EXPECT_EQ(saturated_sum(most - 1, 1), most);
  EXPECT_EQ(saturated_sum(most - 1, most - 1), most);
  EXPECT_EQ(saturated_sum(least, -1), least);
  EXPECT_EQ(saturated_sum(least, most), -1);
}

TEST(saturated, differences_stop_at_the_ends) {
  EXPECT_EQ(saturated_difference(2, 5), -3);
  EXPECT_EQ(saturated_difference(most - 1, -5), most);
  EXPECT_EQ(saturated_difference(0, least), most);
  EXPECT_EQ(saturated_difference(-2, most), least);
  EXPECT_EQ(saturated_difference(least, least), 0);
}

}  // namespace
}  // namespace weir
