// Assignors by name (spec 03, 1.2).
#include "assignor/registry.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace weir::assignor {
namespace {

TEST(registry, knows_sticky_and_offers_it_first) {
  const auto built_in = registry::built_in();
  EXPECT_EQ(built_in.standard().name(), "sticky");
  EXPECT_EQ(built_in.names(), std::vector<std::string_view>{"sticky"});
  const auto found = built_in.find("sticky");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, &built_in.standard());
}

TEST(registry, unknown_name_is_answered_with_the_known_ones) {
  const auto found = registry::built_in().find("stiky");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "unknown assignor 'stiky'; registered: sticky");
}

TEST(registry, takes_the_configured_list) {
  const std::array names{std::string("sticky")};
  const auto made = registry::make(names);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->standard().name(), "sticky");
}

TEST(registry, s1_2_refuses_an_empty_list_unknown_names_and_duplicates) {
  EXPECT_FALSE(registry::make({}));
  const std::array unknown{std::string("sticky"), std::string("org.example.Mine")};
  const auto refused = registry::make(unknown);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "unknown assignor 'org.example.Mine'; known: sticky");
  const std::array twice{std::string("sticky"), std::string("sticky")};
  const auto refused_twice = registry::make(twice);
  ASSERT_FALSE(refused_twice);
  EXPECT_EQ(refused_twice.error().message, "assignor 'sticky' is listed twice");
}

}  // namespace
}  // namespace weir::assignor
