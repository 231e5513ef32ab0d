// Assignors by name (spec 03, 1.2).
#include "assignor/registry.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/unit/assignor/owned_group.hpp"

namespace weir::assignor {
namespace {

TEST(registry, knows_sticky_and_offers_it_first) {
  const auto built_in = registry::built_in();
  EXPECT_EQ(built_in.standard().name(), "sticky");
  EXPECT_EQ(built_in.names(), (std::vector<std::string_view>{"sticky", "highly_available"}));
  const auto found = built_in.find("sticky");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, &built_in.standard());
}

TEST(registry, unknown_name_is_answered_with_the_known_ones) {
  const auto found = registry::built_in().find("stiky");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "unknown assignor 'stiky'; registered: sticky, highly_available");
}

TEST(registry, takes_the_configured_list) {
  const std::array names{std::string("sticky")};
  const auto made = registry::make(names);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->standard().name(), "sticky");
}

TEST(registry, the_first_of_the_list_is_the_standard) {
  const std::array names{std::string("highly_available"), std::string("sticky")};
  const auto made = registry::make(names);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->standard().name(), "highly_available");
}

TEST(registry, kafkas_ties_come_under_the_same_name) {
  const std::array names{std::string("sticky")};
  const auto by_id = registry::make(names);
  const auto as_kafka = registry::make(names, ties::as_kafka);
  ASSERT_TRUE(by_id && as_kafka);
  EXPECT_EQ(as_kafka->standard().name(), "sticky");
  const test::owned_group group{{{"p00-t0", "p00"}, {"p01-t0", "p01"}}, {{"0", 1}}};  // Java visits p01 first
  const auto owner = [&](const registry& made) {
    const auto plan = test::assigned(made.standard(), group).value();
    return plan.at("p00-t0").active.empty() ? "p01-t0" : "p00-t0";
  };
  EXPECT_STREQ(owner(*by_id), "p00-t0");
  EXPECT_STREQ(owner(*as_kafka), "p01-t0");
}

TEST(registry, s1_2_refuses_an_empty_list_unknown_names_and_duplicates) {
  EXPECT_FALSE(registry::make({}));
  const std::array unknown{std::string("sticky"), std::string("org.example.Mine")};
  const auto refused = registry::make(unknown);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "unknown assignor 'org.example.Mine'; known: sticky, highly_available");
  const std::array twice{std::string("sticky"), std::string("sticky")};
  const auto refused_twice = registry::make(twice);
  ASSERT_FALSE(refused_twice);
  EXPECT_EQ(refused_twice.error().message, "assignor 'sticky' is listed twice");
}

}  // namespace
}  // namespace weir::assignor
