// What a group waits for, as data and in words: one test for each reason.
#include "group/waiting_for.hpp"

#include <gtest/gtest.h>

#include "group/topology/patterns.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

using ids = std::vector<std::string>;

std::vector<waiting> waits(const scenario& s) { return waits_of(s.state(), s.view().config, s.now()); }

TEST(waiting_for, a_stable_or_empty_group_waits_for_nothing) {
  scenario s;
  s.join("A");
  EXPECT_TRUE(waits(s).empty());
  s.leave("A");
  EXPECT_TRUE(waits(s).empty());
}

TEST(waiting_for, names_the_chain_from_heartbeat_over_revocation_to_the_free_task) {
  scenario s;
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.pass_silently(500);
  auto found = waits(s);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].why, waiting_reason::heartbeat);
  EXPECT_EQ(found[0].member_id, "A");
  EXPECT_EQ(found[0].tasks, (ids{"0_2", "0_3"}));
  EXPECT_EQ(found[0].blocks, ids{"B"});
  EXPECT_EQ(found[0].since_ms, 500);
  EXPECT_EQ(found[0].ends_in_ms, 44'500);
  EXPECT_EQ(found[1].why, waiting_reason::held_task);
  EXPECT_EQ(found[1].holder, "A");
  EXPECT_EQ(in_words(found),
            (ids{"the next heartbeat of member A, which is at epoch 2 and goes to 3; since 500 ms; it is removed in "
                 "44500 ms; blocks B",
                 "tasks for member B: 0_2 (held by A), 0_3 (held by A)"}));
  s.hb("A", 2);
  s.pass_silently(1'000);
  found = waits(s);
  EXPECT_EQ(found[0].why, waiting_reason::revocation);
  EXPECT_EQ(found[0].member_id, "A");
  EXPECT_EQ(found[0].tasks, (ids{"0_2", "0_3"}));
  EXPECT_EQ(found[0].blocks, ids{"B"});
  EXPECT_EQ(found[0].since_ms, 1'000);
  EXPECT_EQ(found[0].ends_in_ms, 29'000);
  EXPECT_EQ(found[0].text,
            "member A to release active tasks 0: 2-3; since 1000 ms; it is removed in 29000 ms; blocks B");
  s.hb("A", 2, {.own = "0:0,1"});
  found = waits(s);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].why, waiting_reason::held_task);
  EXPECT_EQ(found[0].member_id, "B");
  EXPECT_EQ(found[0].holder, "");
  EXPECT_EQ(found[0].text,
            "tasks for member B: 0_2 (free: its next heartbeat gets it), 0_3 (free: its next heartbeat gets it)");
}

TEST(waiting_for, tasks_of_two_holders_are_two_reasons) {
  scenario s;
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2);
  s.hb("A", 2, {.own = "0:0,1"});
  s.hb("B", 3);
  s.split({{"A", "0:0"}, {"B", "0:2"}, {"C", "0:1,3"}}).join("C");
  std::vector<std::pair<std::string, ids>> held;
  for (const auto& one : waits(s)) {
    if (one.why == waiting_reason::held_task) held.emplace_back(one.holder, one.tasks);
  }
  EXPECT_EQ(held, (std::vector<std::pair<std::string, ids>>{{"A", {"0_1"}}, {"B", {"0_3"}}}));
}

TEST(waiting_for, since_is_not_known_after_a_restart) {
  scenario s;
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2);
  s.reload();
  EXPECT_EQ(waits(s).front().why, waiting_reason::revocation);
  EXPECT_EQ(waits(s).front().since_ms, std::nullopt);
  s.hb("A", 2);
  EXPECT_EQ(waits(s).front().since_ms, std::nullopt) << "a heartbeat that changes nothing tells nothing";
}

TEST(waiting_for, the_initial_delay_and_the_assignment_interval_have_an_end) {
  scenario s(false);
  s.delay(3000).interval(1000).join("A");
  EXPECT_EQ(waits(s).front().why, waiting_reason::initial_delay);
  EXPECT_EQ(waits(s).front().ends_in_ms, 3000);
  EXPECT_EQ(waits(s).front().text, "more members: the initial rebalance delay ends in 3000 ms");
  s.pass(3000);
  s.join("B");
  s.pass_silently(400);
  EXPECT_EQ(waits(s).front().why, waiting_reason::assignment_interval);
  EXPECT_EQ(waits(s).front().ends_in_ms, 600);
}

TEST(waiting_for, missing_topics_are_named_with_what_was_expected_and_found) {
  scenario missing(false);
  missing.app(reading({"none"})).join("A");
  EXPECT_EQ(waits(missing).front().why, waiting_reason::missing_topics);
  EXPECT_EQ(waits(missing).front().topic, "none");
  EXPECT_EQ(waits(missing).front().found_partitions, std::nullopt);
  EXPECT_NE(waits(missing).front().text.find("none"), std::string::npos);

  scenario wrong(false);
  wrong.topic("cl", 3).app(reading({"foo"}, "cl")).join("A");
  EXPECT_EQ(waits(wrong).front().topic, "cl");
  EXPECT_EQ(waits(wrong).front().expected_partitions, 4);
  EXPECT_EQ(waits(wrong).front().found_partitions, 3);
}

TEST(waiting_for, topics_that_nobody_has_looked_at_yet) {
  scenario s(false);
  s.app(reading({"none"})).join("A");
  s.reload();
  EXPECT_EQ(waits(s).front().why, waiting_reason::unvalidated);
}

TEST(waiting_for, no_topology) {
  scenario s(false);
  s.app(reading({"none"})).join("A");
  auto& group = s.mutable_state();
  group.topology.reset();
  EXPECT_EQ(waits(s).front().why, waiting_reason::no_topology);
}

TEST(waiting_for, a_static_member_that_left_for_a_while) {
  scenario s;
  s.join("A", {.instance = "i1"});
  s.hb("A", -2, {.instance = "i1"});
  s.pass_silently(2'000);
  const auto found = waits(s);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].why, waiting_reason::static_member);
  EXPECT_EQ(found[0].member_id, "A");
  EXPECT_EQ(found[0].since_ms, 2'000);
  EXPECT_EQ(found[0].ends_in_ms, 43'000);
  EXPECT_NE(found[0].text.find("i1"), std::string::npos);
}

TEST(waiting_for, a_member_whose_stored_state_is_unknown) {
  scenario s;
  s.join("A");
  auto& current = s.mutable_state().members.at("A").current;
  current.state = member_state::unknown;
  EXPECT_EQ(waits(s).front().why, waiting_reason::unknown_member);
}

TEST(waiting_for, patterns_that_are_being_tried) {
  scenario s;
  s.join("A");
  auto group = s.state();
  soft_update update;
  update.trying = {.topics = 5'000, .untried = 4'800, .since_ms = s.now() - 700};
  apply(group, update);
  const auto found = waits_of(group, s.view().config, s.now());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].why, waiting_reason::patterns);
  EXPECT_EQ(found[0].since_ms, 700);
  EXPECT_EQ(found[0].text,
            "the patterns of source topics to be tried: 200 of 5000 topics so far; until then heartbeats are told that "
            "the coordinator is loading");
  update.matches = std::make_shared<const pattern_matches>();
  update.trying.reset();
  apply(group, update);
  EXPECT_TRUE(waits_of(group, s.view().config, s.now()).empty()) << "they have been tried";
}

}  // namespace
}  // namespace weir::group
