// Warm-up tasks in a group: steps of their own between target and members (spec 01, 7.6 and 11.1; spec 03, 8.5). A runs
// the four stateful tasks of a group that B joins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "group/waiting_for.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

const std::string all_at_the_end = "0_0=5000;0_1=5000;0_2=5000;0_3=5000";

// B is to get 0_2 and 0_3.
scenario scale_out() {
  scenario s(false);
  s.topic("cl", 4).app(reading({"foo"}, "cl")).set("streams.acceptable.recovery.lag", "100");
  s.join("A");
  s.hb("A", 2, {.offsets = all_at_the_end, .end_offsets = all_at_the_end});
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2, {.own = "0:0-3"});
  return s;
}

with warmed(const std::string& offset) {
  return {.own = "", .own_warmup = "0:2,3", .offsets = "0_2=" + offset + ";0_3=" + offset,
          .end_offsets = "0_2=5000;0_3=5000"};
}

TEST(warm_up, s7_6_a_newcomer_warms_up_while_the_owner_keeps_its_tasks) {
  auto s = scale_out();
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  EXPECT_EQ(s.target("A"), "A{0:0,1}");
  EXPECT_EQ(s.target("B"), "A{0:2,3}");
  EXPECT_EQ(s.member("A"), "STABLE 3/2 A{0:0-3}");
  EXPECT_EQ(s.member("B"), "STABLE 3/0 W{0:2,3}");
  const auto waits = waits_of(s.state(), s.view().config, s.now());
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits.front().why, waiting_reason::warm_up);
  EXPECT_EQ(waits.front().member_id, "B");
  EXPECT_EQ(waits.front().tasks, std::vector<std::string>{"0_2"});
  EXPECT_EQ(waits.front().holder, "A");
  EXPECT_EQ(waits.front().lag, std::nullopt) << "B has reported nothing";
  EXPECT_EQ(waits.front().text, "task 0_2 to be restored by member B; since 0 ms; meanwhile it runs at A");
}

TEST(warm_up, s11_1_a_report_within_the_lag_moves_the_epoch_and_the_tasks_once) {
  auto s = scale_out();
  s.hb("B", 3, warmed("4899"));
  EXPECT_EQ(s.group(), "g3/a3 STABLE") << "101 behind";
  EXPECT_EQ(s.written(), "");
  EXPECT_EQ(waits_of(s.state(), s.view().config, s.now()).front().lag, 101);
  s.hb("B", 3, warmed("4900"));
  EXPECT_EQ(s.last_events().front().moved,
            (std::vector<moved_task>{{"0_2", moved_role::active, "A", "B"}, {"0_3", moved_role::active, "A", "B"}}));
  EXPECT_EQ(s.events(), "warm-up-caught-up g4/a4");
  EXPECT_EQ(s.written(), "17 20 22");
  EXPECT_EQ(s.member("B"), "UNRELEASED 4/3 W{0:2,3}");
  EXPECT_EQ(s.hb("A", 3, {.own = "0:0-3"}), "ep 3, A{0:0,1}, []");
  EXPECT_EQ(s.hb("A", 3, {.own = "0:0,1"}), "ep 4, -, []");
  s.hb("B", 4);
  EXPECT_EQ(s.member("B"), "STABLE 4/4 A{0:2,3}");
  EXPECT_EQ(s.group(), "g4/a4 STABLE");
  EXPECT_TRUE(waits_of(s.state(), s.view().config, s.now()).empty());
}

TEST(warm_up, s8_5_one_step_for_a_wave_and_the_next_one_only_when_the_group_is_stable) {
  auto s = scale_out();
  s.hb("B", 3, {.offsets = "0_2=5000;0_3=1", .end_offsets = "0_2=5000;0_3=5000"});
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
  s.hb("B", 4, {.offsets = "0_2=5000;0_3=5000"});
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING") << "A has not let go of 0_2 yet";
  s.hb("A", 3, {.own = "0:0-3"});
  s.hb("A", 3, {.own = "0:0,1,3"});
  s.hb("B", 4);
  EXPECT_EQ(s.member("B"), "STABLE 4/4 A{0:2} W{0:3}");
  s.hb("A", 4);  // nothing new is reported: what came in meanwhile was kept
  EXPECT_EQ(s.events(), "warm-up-caught-up g5/a5");
}

TEST(warm_up, s8_5_reports_that_get_worse_do_not_turn_a_step_back) {
  auto s = scale_out();
  s.hb("B", 3, warmed("5000"));
  s.hb("B", 4, warmed("10"));
  s.hb("A", 3, {.own = "0:0-3"});
  s.hb("A", 3, {.own = "0:0,1"});
  s.hb("B", 4);
  EXPECT_EQ(s.member("B"), "STABLE 4/4 A{0:2,3}");
}

TEST(warm_up, c7_a_restart_forgets_offsets_but_moves_nothing) {
  auto s = scale_out();
  s.reload();
  s.hb("A", 3);
  s.hb("B", 3);
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  EXPECT_EQ(s.member("A"), "STABLE 3/2 A{0:0-3}");
  EXPECT_EQ(s.member("B"), "STABLE 3/0 W{0:2,3}");
  s.hb("B", 3, warmed("5000"));
  EXPECT_EQ(s.events(), "warm-up-caught-up g4/a4");
  s.reload();
  s.hb("B", 4);
  s.hb("A", 3, {.own = "0:0-3"});
  EXPECT_EQ(s.member("A"), "STABLE 4/3 A{0:0-3}") << "nothing is known of B any more, and A was not told yet";
  EXPECT_EQ(s.member("B"), "STABLE 4/4 W{0:2,3}");
}

TEST(warm_up, s8_2_in_a_group_where_nobody_reports_offsets_tasks_move_at_once) {
  scenario s(false);
  s.topic("cl", 4).app(reading({"foo"}, "cl"));
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  EXPECT_EQ(s.member("B"), "UNRELEASED 3/0 {}");
  s.hb("A", 2);
  EXPECT_EQ(s.member("A"), "UNREVOKED 2/2 A{0:0,1} pending A{0:2,3}");
}

TEST(warm_up, s8_2_a_member_that_never_reports_is_waited_for_one_offset_interval) {
  auto s = scale_out();
  s.pass_silently(59'999);
  s.hb("B", 3);
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  s.pass_silently(1);
  s.hb("B", 3);
  EXPECT_EQ(s.events(), "warm-up-stuck g4/a4") << "it tells no offsets";
  EXPECT_EQ(s.member("B"), "UNRELEASED 4/3 W{0:2,3}");
}

TEST(warm_up, s10_3_the_number_of_warm_ups_takes_effect_on_a_live_group) {
  auto s = scale_out();
  s.set("streams.num.warmup.replicas", "1");
  s.hb("A", 3);
  EXPECT_EQ(s.events(), "assignment-config-changed g4/a4");
  EXPECT_EQ(s.last_events().front().changes, (std::vector<field_change>{{"num.warmup.replicas", "2", "1"}}));
  s.hb("B", 3, {.own = "", .own_warmup = "0:2"});
  EXPECT_EQ(s.member("B"), "STABLE 4/3 W{0:2}");
  s.set("streams.num.warmup.replicas", "0");
  s.hb("A", 4);
  EXPECT_EQ(s.group(), "g5/a5 RECONCILING");
  EXPECT_EQ(s.member("A"), "UNREVOKED 4/4 A{0:0,1} pending A{0:2,3}");
}

// Five offset intervals.
constexpr std::int64_t patience_ms = 5 * 60'000;

// Of two tasks that B is to get it may warm up one.
scenario one_at_a_time() {
  auto s = scale_out();
  s.set("streams.num.warmup.replicas", "1");
  s.hb("A", 3);
  s.hb("B", 3, {.own = "", .own_warmup = "0:2", .offsets = "0_2=10", .end_offsets = "0_2=5000"});
  return s;
}

TEST(warm_up, s8_5_one_that_does_not_get_on_makes_way_and_is_tried_again) {
  auto s = one_at_a_time();
  EXPECT_EQ(s.group(), "g4/a4 STABLE");
  s.pass_silently(patience_ms);
  s.hb("B", 4);
  EXPECT_EQ(s.written(), "") << "it has got on since nothing was known of it";
  s.pass_silently(patience_ms - 1);
  s.hb("B", 4);
  EXPECT_EQ(s.written(), "");
  s.pass_silently(1);
  s.hb("A", 4);
  EXPECT_EQ(s.events(), "warm-up-stuck g5/a5");
  EXPECT_THAT(s.last_events().front().detail, testing::HasSubstr("0_2 does not get on in process p-B"));
  s.hb("B", 4);
  EXPECT_EQ(s.member("B"), "UNREVOKED 4/4 {} pending W{0:2}");
  s.hb("B", 4, {.own = "", .own_warmup = ""});
  EXPECT_EQ(s.member("B"), "STABLE 5/4 W{0:3}");
  s.hb("B", 5, {.offsets = "0_2=10;0_3=5000", .end_offsets = "0_2=5000;0_3=5000"});
  EXPECT_EQ(s.events(), "warm-up-caught-up g6/a6");
  s.hb("A", 5, {.own = "0:0-3"});
  s.hb("A", 5, {.own = "0:0-2"});
  s.hb("B", 6);
  EXPECT_EQ(s.member("B"), "STABLE 6/6 A{0:3} W{0:2}") << "nobody else needs the place";
}

/// Takes up what it is given, and reports of its warm-ups that they are there.
void beat_at(scenario& s, const std::string& offset) {
  const auto current = s.state().members.at("B").current;
  with says;
  says.own = says.own_warmup = says.offsets = says.end_offsets = "";
  for (const auto& [subtopology, partitions] : current.assigned.warmup) {
    for (const auto partition : partitions) {
      const auto number = std::to_string(partition);
      says.own_warmup = "0:" + number;
      says.offsets = "0_" + number + "=" + offset;
      says.end_offsets = "0_" + number + "=5000";
    }
  }
  s.hb("B", current.member_epoch, says);
}

TEST(warm_up, s8_5_a_first_report_is_no_progress_so_the_waits_double) {
  auto s = one_at_a_time();
  const auto first = s.state().metadata.epoch;
  for (int i = 0; i < 64; ++i) {
    s.pass_silently(patience_ms / 2);
    beat_at(s, "0");
    s.hb("A", s.state().members.at("A").current.member_epoch);
    beat_at(s, "0");
  }
  EXPECT_GT(s.state().metadata.epoch, first + 2) << "both have had the place";
  EXPECT_LT(s.state().metadata.epoch, first + 14);
}

TEST(warm_up, s8_5_one_that_goes_up_and_down_does_not_get_on_and_the_waits_double) {
  auto s = one_at_a_time();
  const auto first = s.state().metadata.epoch;
  for (int i = 0; i < 64; ++i) {
    s.pass_silently(patience_ms / 2);
    beat_at(s, i % 3 == 0 ? "100" : "200");
    s.hb("A", s.state().members.at("A").current.member_epoch);
    beat_at(s, i % 3 == 0 ? "100" : "200");
  }
  EXPECT_LT(s.state().metadata.epoch, first + 14);
}

TEST(warm_up, a_process_that_tells_no_offset_for_all_the_time_it_has_is_not_waited_for) {
  auto s = scale_out();
  s.hb("B", 3, {.own = "", .own_warmup = "0:2,3", .offsets = "", .end_offsets = ""});
  for (int i = 0; i < 3; ++i) {
    s.pass_silently(patience_ms / 4);
    s.hb("A", 3);
    s.hb("B", 3, {.own = "", .own_warmup = "0:2,3", .offsets = "", .end_offsets = ""});
    EXPECT_EQ(s.group(), "g3/a3 STABLE") << i;
  }
  s.pass_silently(patience_ms / 4);
  s.hb("B", 3, {.own = "", .own_warmup = "0:2,3", .offsets = "", .end_offsets = ""});
  ASSERT_EQ(s.last_events().size(), 1U);
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
  EXPECT_THAT(s.last_events().front().detail, testing::HasSubstr("B takes over 0: 2-3 and tells no offsets"));
  EXPECT_EQ(s.last_events().front().why, cause::warm_up_stuck);
  s.hb("A", 3, {.own = "0:0-3"});
  s.hb("A", 3, {.own = "0:0,1"});
  s.hb("B", 4, {.own = "", .own_warmup = ""});
  EXPECT_EQ(s.member("B"), "STABLE 4/4 A{0:2,3}");
  s.pass_silently(patience_ms);
  s.hb("A", 4);
  s.hb("B", 4);
  EXPECT_EQ(s.group(), "g4/a4 STABLE") << "nothing is taken back";
}

TEST(warm_up, s8_5_one_that_gets_on_however_slowly_keeps_its_place) {
  auto s = one_at_a_time();
  for (const auto* offset : {"11", "12", "13", "14"}) {
    s.pass_silently(patience_ms);
    s.hb("B", 4, {.offsets = std::string("0_2=") + offset});
    EXPECT_EQ(s.written(), "");
  }
}

TEST(warm_up, s8_5_without_anybody_to_make_way_for_nothing_is_minted_and_the_waits_double) {
  auto s = scale_out();
  s.hb("B", 3, warmed("10"));
  std::vector<std::int64_t> looks;
  for (int i = 0; i < 16; ++i) {
    s.pass_silently(patience_ms);
    s.hb("B", 3);
    EXPECT_EQ(s.group(), "g3/a3 STABLE");
    const auto& watch = s.state().soft.interim->watches.front();
    if (watch.is_new_rest && looks.size() < static_cast<std::size_t>(watch.times_stuck)) {
      looks.push_back((watch.look_ms - s.now()) / patience_ms);
    }
  }
  EXPECT_EQ(looks, (std::vector<std::int64_t>{1, 2, 4, 8}));
}

TEST(warm_up, s8_5_a_report_that_is_still_far_behind_is_not_looked_at_further) {
  auto s = scale_out();
  s.hb("B", 3, warmed("10"));
  const auto before = s.state().soft.interim;
  s.hb("B", 3, warmed("4000"));
  EXPECT_EQ(s.state().soft.interim, before);
  EXPECT_FALSE(s.state().soft.interim_has_news);
}

TEST(warm_up, strict_mode_has_none) {
  scenario s(true);
  s.topic("cl", 4).app(reading({"foo"}, "cl"));
  s.join("A");
  s.hb("A", 2, {.offsets = all_at_the_end, .end_offsets = all_at_the_end});
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  EXPECT_EQ(s.member("B"), "UNRELEASED 3/0 {}");
}

TEST(warm_up, s7_6_a_static_member_that_comes_back_goes_on_warming_up) {
  scenario s(false);
  s.topic("cl", 4).app(reading({"foo"}, "cl"));
  s.join("A");
  s.hb("A", 2, {.offsets = all_at_the_end, .end_offsets = all_at_the_end});
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B", {.instance = "i"});
  s.hb("A", 2);
  s.hb("B", -2, {.instance = "i"});
  s.join("C", {.instance = "i", .process = "p-B"});
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  EXPECT_EQ(s.member("C"), "STABLE 3/0 W{0:2,3}");
}

}  // namespace
}  // namespace weir::group
