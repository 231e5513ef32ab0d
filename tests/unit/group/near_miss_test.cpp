// Heartbeats and returns that came just in time, and what an event keeps as data.
#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

TEST(near_miss, a_heartbeat_after_four_fifths_of_the_session_is_kept) {
  scenario s;
  s.join("A");
  s.pass_silently(35'999);
  s.hb("A", 2);
  EXPECT_TRUE(s.state().soft.near_misses.empty());
  s.pass_silently(36'000);
  s.hb("A", 2);
  const near_miss expected{.time_ms = s.now(),
                           .member_id = "A",
                           .what = near_miss::kind::late_heartbeat,
                           .after_ms = 36'000,
                           .limit_ms = 45'000};
  EXPECT_EQ(s.state().soft.near_misses, std::vector<near_miss>{expected});
  EXPECT_EQ(s.written(), "") << "a near miss writes nothing";
}

TEST(near_miss, only_the_newest_are_kept) {
  scenario s;
  s.join("A");
  for (std::size_t i = 0; i < near_misses_max + 3; ++i) {
    s.pass_silently(40'000);
    s.hb("A", 2);
  }
  EXPECT_EQ(s.state().soft.near_misses.size(), near_misses_max);
  EXPECT_EQ(s.state().soft.near_misses.back().time_ms, s.now());
}

TEST(near_miss, a_static_member_that_comes_back_in_the_last_fifth_of_its_time) {
  scenario s;
  s.join("A", {.instance = "i1"});
  s.hb("A", -2, {.instance = "i1"});
  s.pass_silently(10'000);
  s.join("B", {.instance = "i1"});
  EXPECT_TRUE(s.state().soft.near_misses.empty());
  s.hb("B", -2, {.instance = "i1"});
  s.pass_silently(44'000);
  s.join("C", {.instance = "i1"});
  ASSERT_EQ(s.state().soft.near_misses.size(), 1U);
  EXPECT_EQ(s.state().soft.near_misses.front().what, near_miss::kind::late_return);
  EXPECT_EQ(s.state().soft.near_misses.front().member_id, "C");
  EXPECT_EQ(s.state().soft.near_misses.front().after_ms, 44'000);
}

TEST(event_data, a_changed_member_says_what_changed) {
  scenario s;
  s.join("A");
  s.hb("A", 2, {.rack = "r1"});
  EXPECT_EQ(s.last_events().front().changes, (std::vector<field_change>{{"rack", "none", "r1"}}));
}

TEST(event_data, changed_topics_say_which_subtopology_has_how_many_tasks) {
  scenario s(false);
  s.join("A");
  s.topic("foo", 6);
  s.hb("A", 2);
  const auto& changes = s.last_events().front().changes;
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes.front().what, "metadata hash");
  EXPECT_EQ(changes.back(), (field_change{"tasks of subtopology 0", "4", "6"}));
}

TEST(event_data, a_changed_setting_is_named) {
  scenario s(false);
  s.topic("cl", 4).app(reading({"foo"}, "cl")).join("A");
  s.set("streams.num.standby.replicas", "1");
  s.hb("A", 2);
  EXPECT_EQ(s.last_events().front().why, cause::assignment_config_changed);
  bool named = false;
  for (const auto& change : s.last_events().front().changes) {
    named = named || (change.what.find("standby") != std::string::npos && change.after == "1");
  }
  EXPECT_TRUE(named);
}

TEST(event_data, a_target_lists_the_moves_active_ones_first) {
  scenario s;
  s.set("streams.num.standby.replicas", "1").topic("cl", 4).app(reading({"foo"}, "cl")).join("A");
  s.split({{"A", "0:0-2 S0:3"}, {"B", "0:3 S0:0-2"}}).join("B");
  ASSERT_EQ(s.last().answer.error_code, 0);
  const auto& e = s.last_events().back();
  ASSERT_EQ(e.why, cause::target_computed);
  EXPECT_EQ(e.moved, (std::vector<moved_task>{{"0_3", moved_role::active, "A", "B"},
                                              {"0_0", moved_role::standby, "", "B"},
                                              {"0_1", moved_role::standby, "", "B"},
                                              {"0_2", moved_role::standby, "", "B"},
                                              {"0_3", moved_role::standby, "", "A"}}));
  EXPECT_EQ(e.tasks_moved, 1);
  EXPECT_FALSE(e.moved_truncated);
}

TEST(event_data, more_moves_than_an_event_keeps_are_counted_but_not_listed) {
  event e;
  for (std::size_t i = 0; i <= moves_max; ++i) add_move(e, {"0_" + std::to_string(i), moved_role::active, "", "A"});
  EXPECT_EQ(e.moved.size(), moves_max);
  EXPECT_TRUE(e.moved_truncated);
}

TEST(event_data, causes_and_hindrances_have_one_name_each) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(cause::target_computed); ++i) {
    EXPECT_EQ(cause_of(name(static_cast<cause>(i))), static_cast<cause>(i));
  }
  EXPECT_EQ(cause_of("refinement"), std::nullopt);
  EXPECT_EQ(hold_up_of(name(hold_up::missing_topic)), hold_up::missing_topic);
}

TEST(hindrance, who_has_to_release_comes_first_then_who_is_slow) {
  scenario s;
  s.join("A");
  EXPECT_EQ(hindrance_of(s.state()), std::nullopt);
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  EXPECT_EQ(hindrance_of(s.state())->why, hold_up::slow_heartbeat);
  EXPECT_EQ(hindrance_of(s.state())->member_id, "A");
  s.hb("A", 2);
  EXPECT_EQ(hindrance_of(s.state())->why, hold_up::unrevoked);
  s.hb("A", 2, {.own = "0:0,1"});
  EXPECT_EQ(hindrance_of(s.state())->why, hold_up::unreleased);
  EXPECT_EQ(hindrance_of(s.state())->member_id, "B");
  s.no_topic("foo");
  s.hb("B", 3);
  EXPECT_EQ(hindrance_of(s.state())->why, hold_up::missing_topic);
}

}  // namespace
}  // namespace weir::group
