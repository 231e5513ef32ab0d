// The story of a group: durable with the records that it tells of, there after a restart, bounded, gone with the group.
#include "actors/timeline.hpp"

#include <string>
#include <vector>

#include "actors/timeline_codec.hpp"
#include "world.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

timeline_page told(world& w, timeline_query query = {}) {
  const auto answer = w.ask<told_timeline>([&](auto done) { w.coordinator->timeline_of("g", query, done); });
  return answer.value_or(timeline_page{});
}

/// "1 member-joined, 2 target-computed", oldest first.
std::string story(world& w, timeline_query query = {}) {
  std::string words;
  for (const auto& one : told(w, query).events) {
    words = std::to_string(one.index) + " " + std::string(group::name(one.why)) + (words.empty() ? "" : ", ") + words;
  }
  return words;
}

std::size_t stored(world& w) {
  std::size_t entries = 0;
  EXPECT_TRUE(w.log.read_table(storage::table::timeline, [&](auto, auto) { ++entries; }));
  return entries;
}

/// A heartbeat that says what the member owns.
response confirm(world& w, const std::string& member, int epoch, std::vector<std::int32_t> partitions) {
  auto request = heartbeat_request(member, epoch);
  auto& owned = request.active_tasks.emplace();
  auto& tasks = owned.emplace_back();
  tasks.subtopology_id = "0";
  tasks.partitions = std::move(partitions);
  request.standby_tasks.emplace();
  request.warmup_tasks.emplace();
  return w.answers->find(w.send(std::move(request))).value_or(response{});
}

TEST(timeline, tells_events_newest_first_with_moves_and_the_time_the_target_took) {
  world w;
  w.beat("A", 0);
  const auto page = told(w);
  ASSERT_EQ(page.events.size(), 2U);
  EXPECT_EQ(page.newest, 2U);
  EXPECT_TRUE(page.complete);
  const auto& target = page.events.front();
  EXPECT_EQ(target.why, group::cause::target_computed);
  EXPECT_TRUE(target.computed_in_us);
  EXPECT_EQ(target.moved.size(), 4U);
  EXPECT_EQ(target.stable_after_ms, 0) << "the heartbeat that brought it finished it";
  EXPECT_EQ(target.last_reason, std::nullopt);
  EXPECT_EQ(page.events.back().why, group::cause::member_joined);
  EXPECT_FALSE(page.events.back().computed_in_us);
}

TEST(timeline, says_how_long_a_rebalance_took_and_who_held_it_up) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  EXPECT_EQ(told(w).events.front().stable_after_ms, std::nullopt);
  w.pass(1'000);
  EXPECT_EQ(active_tasks(confirm(w, "A", 2, {0, 1, 2, 3})), 2U);
  w.pass(2'000);
  const auto page = w.view();
  const auto kept = page->group.members.at("A").current.assigned.active.at("0");
  std::vector<std::int32_t> keeps;
  for (const auto& [partition, epoch] : kept) keeps.push_back(partition);
  EXPECT_EQ(error_of(confirm(w, "A", 2, keeps)), 0);
  w.pass(500);
  w.beat("B", 3);
  ASSERT_EQ(w.view()->state, group::group_state::stable);
  int looked_at = 0;
  for (const auto& one : told(w).events) {
    if (one.group_epoch != 3) continue;
    ++looked_at;
    EXPECT_EQ(one.stable_after_ms, 3'500) << group::name(one.why);
    EXPECT_EQ(one.last_member, "B");
    EXPECT_EQ(one.last_reason, group::hold_up::unreleased);
  }
  EXPECT_EQ(looked_at, 2) << "the join and its target";
}

TEST(timeline, an_event_that_a_newer_one_overtakes_says_whom_it_waited_for) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  w.beat("C", 0);
  int looked_at = 0;
  for (const auto& one : told(w).events) {
    if (one.group_epoch != 3) continue;
    ++looked_at;
    EXPECT_EQ(one.stable_after_ms, std::nullopt);
    EXPECT_EQ(one.last_member, "A");
    EXPECT_EQ(one.last_reason, group::hold_up::slow_heartbeat);
  }
  EXPECT_EQ(looked_at, 2);
}

TEST(timeline, survives_a_restart_and_goes_on_counting) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  const auto before = told(w).events;
  w.stop();
  w.start();
  EXPECT_EQ(told(w).events, before);
  EXPECT_EQ(w.view()->timeline.back(), before.front());
  w.beat("C", 0);
  EXPECT_EQ(told(w).newest, 6U);
  EXPECT_EQ(told(w).events.back(), before.back());
}

TEST(timeline, a_rebalance_that_a_restart_interrupts_gets_its_end) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  w.stop();
  w.start();
  confirm(w, "A", 2, {0, 1, 2, 3});
  std::vector<std::int32_t> keeps;
  const auto view = w.view();
  for (const auto& [partition, epoch] : view->group.members.at("A").current.assigned.active.at("0")) {
    keeps.push_back(partition);
  }
  confirm(w, "A", 2, keeps);
  w.pass(100);
  w.beat("B", 3);
  ASSERT_EQ(w.view()->state, group::group_state::stable);
  EXPECT_TRUE(told(w).events.front().stable_after_ms);
}

TEST(timeline, a_failed_write_leaves_nothing_of_its_events) {
  world w;
  w.beat("A", 0);
  const auto before = told(w);
  w.log.fail_next(1, "disk full");
  EXPECT_EQ(error_of(w.beat("B", 0)), 15);
  EXPECT_EQ(told(w).events, before.events);
  EXPECT_EQ(stored(w), 2U);
  w.beat("B", 0);
  EXPECT_EQ(story(w), "1 member-joined, 2 target-computed, 3 member-joined, 4 target-computed");
}

TEST(timeline, is_told_no_sooner_than_it_is_durable) {
  world w;
  w.beat("A", 0);
  const auto start = w.coordinator->feed().newest();
  w.log.hold();
  w.send("B", 0);
  EXPECT_TRUE(w.coordinator->feed().read(start, 9).entries.empty());
  w.log.resume();
  w.run();
  const auto entries = w.coordinator->feed().read(start, 9).entries;
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries.front().group_id, "g");
  EXPECT_EQ(entries.front().what->index, 3U);
}

TEST(timeline, an_event_that_could_not_be_written_is_never_published) {
  world w;
  w.beat("A", 0);
  const auto start = w.coordinator->feed().newest();
  w.log.fail_next(1, "disk full");
  w.beat("B", 0);
  EXPECT_TRUE(w.coordinator->feed().read(start, 9).entries.empty());
}

TEST(timeline, a_steady_heartbeat_and_a_commit_write_nothing_into_it) {
  world w;
  w.beat("A", 0);
  const auto appends = w.coordinator->counters().appends.load();
  for (int i = 0; i < 5; ++i) w.beat("A", 2);
  EXPECT_EQ(w.coordinator->counters().appends, appends);
  w.commit("A", 2, 7);
  EXPECT_EQ(stored(w), 2U);
}

TEST(timeline, keeps_as_many_events_as_configured) {
  auto options = quick_options();
  options.timeline.events_max = 3;
  world w(options);
  w.beat("A", 0);
  w.beat("B", 0);
  w.beat("C", 0);
  EXPECT_EQ(story(w), "4 target-computed, 5 member-joined, 6 target-computed");
  EXPECT_EQ(stored(w), 3U);
  w.stop();
  w.start();
  w.beat("D", 0);
  EXPECT_EQ(story(w), "6 target-computed, 7 member-joined, 8 target-computed");
  EXPECT_EQ(stored(w), 3U);
}

TEST(timeline, does_not_show_what_is_older_than_configured_and_drops_it_with_the_next_event) {
  auto options = quick_options();
  options.timeline.retention_ms = 20'000;
  world w(options);
  w.beat("A", 0);
  w.pass(15'000);
  w.beat("A", 2);
  w.pass(6'000);
  EXPECT_EQ(story(w), "");
  EXPECT_EQ(stored(w), 2U);
  w.beat("B", 0);
  EXPECT_EQ(story(w), "3 member-joined, 4 target-computed");
  EXPECT_EQ(stored(w), 2U);
}

TEST(timeline, goes_with_its_group) {
  world w;
  w.beat("A", 0);
  w.send(heartbeat_request("Z", 0, "other"));
  w.beat("A", -1);
  EXPECT_EQ(story(w), "1 member-joined, 2 target-computed, 3 member-left");
  EXPECT_EQ(w.ask<error_code>([&](auto done) { w.coordinator->delete_group("g", done); }), error_code::none);
  EXPECT_EQ(stored(w), 2U) << "those of the other group";
  w.beat("A", 0);
  EXPECT_EQ(story(w), "1 member-joined, 2 target-computed");
}

TEST(timeline, is_told_in_parts_and_by_cause) {
  world w;
  w.beat("A", 0);
  w.beat("B", 0);
  const auto first = told(w, {.below = 0, .most = 3, .only = {}});
  EXPECT_EQ(first.events.size(), 3U);
  EXPECT_FALSE(first.complete);
  const auto rest = told(w, {.below = first.events.back().index, .most = 3, .only = {}});
  EXPECT_EQ(rest.events.size(), 1U);
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(rest.newest, 4U);
  EXPECT_EQ(story(w, {.below = 0, .most = 9, .only = group::cause::member_joined}), "1 member-joined, 3 member-joined");
}

TEST(timeline, entries_that_cannot_be_read_are_left_out_and_harm_nothing) {
  world w;
  w.beat("A", 0);
  w.stop();
  storage::append_request damage;
  damage.writes = {{storage::table::timeline, timeline_key("g", 2), "garbage"},
                   {storage::table::timeline, timeline_key("g", 9), ""},
                   {storage::table::timeline, timeline_prefix("g") + "x", "short key"}};
  damage.done = [](result<void>) {};
  w.log.append(std::move(damage));
  w.start();
  EXPECT_EQ(told(w).events.size(), 1U);
  w.beat("B", 0);
  EXPECT_EQ(told(w).events.front().why, group::cause::target_computed);
}

TEST(timeline, an_unknown_group_has_none) {
  world w;
  const auto answer = w.ask<told_timeline>([&](auto done) { w.coordinator->timeline_of("nobody", {}, done); });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, error_code::group_id_not_found);
}

TEST(story, near_misses_are_shown_with_the_group_and_survive_a_failed_write) {
  world w;
  w.beat("A", 0);
  EXPECT_TRUE(w.view()->group.soft.state_since_ms);
  w.pass(40'000);
  w.beat("A", 2);
  ASSERT_EQ(w.view()->group.soft.near_misses.size(), 1U);
  w.log.fail_next(1, "disk full");
  w.beat("B", 0);
  EXPECT_EQ(w.view()->group.soft.near_misses.size(), 1U);
  EXPECT_EQ(w.view()->group.soft.state_since_ms, std::nullopt) << "it had another one, which was never durable";
  w.stop();
  w.start();
  EXPECT_EQ(w.view()->group.soft.state_since_ms, std::nullopt) << "nobody remembers";
}

TEST(story, the_same_cause_again_and_again_is_an_alarm_until_it_is_over) {
  auto options = quick_options();
  options.loops = {.count = 3, .window_ms = 10'000};
  world w(options);
  w.beat("A", 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(w.view()->alarms.empty());
    w.pass(1'000);
    w.beat("B", 0);
    w.beat("B", -1);
  }
  const auto alarms = w.view()->alarms;
  ASSERT_EQ(alarms.size(), 2U);
  EXPECT_EQ(alarms.front().why, group::cause::member_joined);
  EXPECT_EQ(alarms.front().member_id, "B");
  EXPECT_EQ(alarms.front().count, 3);
  EXPECT_EQ(alarms.back().why, group::cause::member_left);
  EXPECT_EQ(w.coordinator->counters().rebalance_loops, 2U);
  w.pass(10'000);
  EXPECT_TRUE(w.view()->alarms.empty());
}

}  // namespace
}  // namespace weir::actors
