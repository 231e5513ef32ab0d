#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(utf8_test, well_formed_text_stays_as_it_is) {
  for (const std::string text : {"", "orders", "gr\xC3\xBC\xC3\x9F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(utf8_test, what_does_not_fit_is_found_wherever_it_stands_in_long_text) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t behind = 0; behind < 20; ++behind) {
      const std::string a(before, 'a');
      const std::string b(behind, 'b');
      EXPECT_EQ(valid_utf8(a + "\xFF" + b), a + "\xEF\xBF\xBD" + b);
      EXPECT_EQ(valid_utf8(a + "\xC3\xBC" + b), a + "\xC3\xBC" + b);
    }
  }
}

TEST(utf8_test, every_byte_that_does_not_fit_is_replaced) {
  EXPECT_EQ(valid_utf8("bad\xFF"), "bad\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xC3"), "\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80x"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx");
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(utf8_test, blank_is_what_java_calls_blank) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\n\v\f\r\x1C\x1D\x1E\x1F"));
  for (const std::string white :
       {"\u1680", "\u2000", "\u2006", "\u2008", "\u200A", "\u2028", "\u2029", "\u205F", "\u3000"}) {
    EXPECT_TRUE(is_blank(white)) << white;
    EXPECT_TRUE(is_blank(" " + white + white)) << white;
    EXPECT_FALSE(is_blank(white + "a")) << white;
  }
}

TEST(utf8_test, no_break_spaces_other_controls_and_broken_bytes_are_not_blank) {
  for (const std::string_view dark : {"\u0085", "\u00A0", "\u180E", "\u2007", "\u200B", "\u202F", "\uFEFF",
                                      "\U00012000", "\x01", "\x1B", "\x7F", "\xE3\x80", "\xC0\xA0", " \xFF", "a"}) {
    EXPECT_FALSE(is_blank(dark)) << dark;
  }
  EXPECT_FALSE(is_blank(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace weir
