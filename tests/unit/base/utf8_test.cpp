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

}  // namespace
}  // namespace weir
