#include "base/log.hpp"

#include <gtest/gtest.h>

namespace weir::log {
namespace {

TEST(log_test, a_text_line_has_time_level_message_and_fields) {
  EXPECT_EQ(render(format::text, level::info, "T", "group epoch bumped", {{"group", "orders"}, {"epoch", 12}}),
            "T INFO group epoch bumped group=orders epoch=12");
}

TEST(log_test, a_text_value_that_could_break_the_line_is_quoted) {
  EXPECT_EQ(render(format::text, level::warn, "T", "m", {{"a", "x y"}, {"b", ""}, {"c", "1\n2"}}),
            "T WARN m a=\"x y\" b=\"\" c=\"1\\u000a2\"");
}

TEST(log_test, a_terminal_takes_no_orders_from_a_value) {
  EXPECT_EQ(render(format::text, level::info, "T", "m", {{"a", "\x1b[31m"}, {"b", "x\xFF"}}),
            "T INFO m a=\"\\u001b[31m\" b=x\xEF\xBF\xBD");
}

TEST(log_test, a_json_line_escapes_text_and_keeps_numbers_bare) {
  EXPECT_EQ(render(format::json, level::error, "T", "say \"hi\"", {{"n", 3}, {"s", "a\\b"}, {"t", true}}),
            R"({"time":"T","level":"ERROR","message":"say \"hi\"","n":3,"s":"a\\b","t":true})");
}

TEST(log, a_flood_of_one_line_is_cut_and_the_number_left_out_is_told_later) {
  flood_guard guard(2, 1'000);
  std::uint64_t left_out = 7;
  EXPECT_TRUE(guard.admit(100, left_out));
  EXPECT_EQ(left_out, 0U);
  EXPECT_TRUE(guard.admit(200, left_out));
  for (std::int64_t at = 300; at < 303; ++at) EXPECT_FALSE(guard.admit(at, left_out));
  EXPECT_TRUE(guard.admit(1'100, left_out));
  EXPECT_EQ(left_out, 3U);
  EXPECT_TRUE(guard.admit(1'200, left_out));
  EXPECT_EQ(left_out, 0U);
  EXPECT_FALSE(guard.admit(1'300, left_out));
}

}  // namespace
}  // namespace weir::log
