#include "base/text.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(text_test, a_view_looks_at_the_bytes_and_a_copy_outlives_them) {
  std::string source = "member";
  const text view = text::view(source);
  const text copy(source);
  EXPECT_EQ(view.data(), source.data());
  source[0] = 'M';
  EXPECT_EQ(view, "Member");
  EXPECT_EQ(copy, "member");
}

TEST(text_test, copies_share_the_owned_bytes) {
  text second;
  {
    const text first(std::string("some words that do not fit anywhere small"));
    second = first;
    EXPECT_EQ(first.data(), second.data());
  }
  EXPECT_EQ(second, "some words that do not fit anywhere small");
}

TEST(text_test, compares_like_its_characters) {
  EXPECT_LT(text("a"), text("b"));
  EXPECT_EQ(text("a"), "a");
  EXPECT_TRUE(text().empty());
}

}  // namespace
}  // namespace weir
