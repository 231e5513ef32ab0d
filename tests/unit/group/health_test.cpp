// What probes ask, without a copy of the group.
#include "group/health.hpp"

#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

TEST(probes, tell_who_is_away_and_whether_somebody_is_left) {
  scenario s(false);
  s.join("A", {.instance = "pod"});
  const auto here = health_of(s.state(), state_of(s.state()), "pod");
  EXPECT_EQ(here.kind, group_kind::streams);
  EXPECT_TRUE(here.has_present_members);
  ASSERT_TRUE(here.member);
  EXPECT_FALSE(here.member->is_away);
  s.hb("A", -2, {.instance = "pod"});
  const auto away = health_of(s.state(), state_of(s.state()), "A");
  EXPECT_FALSE(away.has_present_members);
  ASSERT_TRUE(away.member);
  EXPECT_TRUE(away.member->is_away);
  EXPECT_FALSE(health_of(s.state(), group_state::stable, "Z").member);
  EXPECT_FALSE(health_of(s.state(), group_state::stable, "").member) << "nobody was asked about";
}

TEST(one_member, of_a_group_is_copied_with_what_belongs_to_it) {
  scenario s(false);
  s.join("A", {.instance = "pod"});
  s.join("B");
  const auto one = with_one_member(s.state(), "pod");
  EXPECT_EQ(one.kind, group_kind::streams);
  EXPECT_EQ(one.metadata.epoch, s.state().metadata.epoch);
  ASSERT_EQ(one.members.size(), 1U);
  EXPECT_EQ(one.members.at("A"), s.state().members.at("A"));
  EXPECT_EQ(one.targets.contains("A"), s.state().targets.contains("A"));
  EXPECT_FALSE(one.targets.contains("B"));
  EXPECT_EQ(one.soft.members.size(), 1U);
  ASSERT_NE(member_named(one, "pod"), nullptr);
  EXPECT_EQ(*member_named(one, "pod"), "A");
  EXPECT_TRUE(with_one_member(s.state(), "Z").members.empty());
}

}  // namespace
}  // namespace weir::group
