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

}  // namespace
}  // namespace weir::log
