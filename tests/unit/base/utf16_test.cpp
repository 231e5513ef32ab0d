// Text as Java sees it, and U+FFFD for what is not UTF-8 (spec 02, 7.1 and 7.2).
#include "base/utf16.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(utf16, converts_every_length_of_utf8) {
  EXPECT_EQ(to_utf16(""), u"");
  EXPECT_EQ(to_utf16("az~"), u"az~");
  EXPECT_EQ(to_utf16("\xC3\xA9"), u"\u00E9");
  EXPECT_EQ(to_utf16("\xE2\x82\xAC\xEF\xBF\xBF"), u"\u20AC\uFFFF");
  EXPECT_EQ(to_utf16("\xF0\x9F\x98\x80"), u"\U0001F600");
  EXPECT_EQ(to_utf16("\xF4\x8F\xBF\xBF"), u"\U0010FFFF");
}

TEST(utf16, replaces_what_is_ill_formed) {
  EXPECT_EQ(to_utf16("a\x80z"), u"a\uFFFDz");                    // a follower without a lead
  EXPECT_EQ(to_utf16("a\xE2\x82"), u"a\uFFFD");                  // cut off
  EXPECT_EQ(to_utf16("\xE2\x28\xA1"), u"\uFFFD(\uFFFD");         // follower missing in between
  EXPECT_EQ(to_utf16("\xC0\xAF"), u"\uFFFD\uFFFD");              // overlong
  EXPECT_EQ(to_utf16("\xED\xA0\x80"), u"\uFFFD\uFFFD\uFFFD");    // a surrogate
  EXPECT_EQ(to_utf16("\xF4\x90\x80\x80").front(), u'\uFFFD');    // above U+10FFFF
  EXPECT_EQ(to_utf16("\xFF"), u"\uFFFD");
}

TEST(utf16, tells_ascii) {
  EXPECT_TRUE(is_ascii("rack-1"));
  EXPECT_FALSE(is_ascii("r\xC3\xA9"));
}

}  // namespace
}  // namespace weir
