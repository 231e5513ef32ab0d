// The parts of a timeline by themselves: events as bytes, the feed, rebalance loops.
#include <gtest/gtest.h>

#include <random>

#include "actors/event_feed.hpp"
#include "actors/rebalance_loops.hpp"
#include "actors/timeline_codec.hpp"

namespace weir::actors {
namespace {

group::event full_event() {
  group::event e;
  e.time_ms = 1'700'000'000'123;
  e.why = group::cause::rebalance_requested;
  e.group_epoch = 7;
  e.assignment_epoch = 6;
  e.member_id = "m1";
  e.process_id = "p1";
  e.client_id = "c1";
  e.client_host = "/10.0.0.1";
  e.by = "operator";
  e.detail = "asked for";
  e.changes = {{"rack", "none", "r1"}, {"process", "p0", "p1"}};
  e.assignor = "sticky";
  e.computed_in_us = 1'234;
  e.tasks_moved = 2;
  e.moved = {{"0_1", group::moved_role::active, "m1", "m2"},
             {"0_2", group::moved_role::standby, "", "m1"},
             {"0_3", group::moved_role::warmup, "m2", ""}};
  e.moved_truncated = true;
  e.stable_after_ms = 55;
  e.last_member = "m2";
  e.last_reason = group::hold_up::unrevoked;
  return e;
}

TEST(timeline_codec, what_is_written_is_read) {
  for (const auto& e : {full_event(), group::event()}) {
    const auto read = decode_event(encode_event(e));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, e);
    EXPECT_EQ(time_of_event(encode_event(e)), e.time_ms);
  }
}

TEST(timeline_codec, five_hundred_moves_among_few_members_are_small) {
  auto e = full_event();
  e.moved.clear();
  for (std::size_t i = 0; i < group::moves_max; ++i) {
    const auto task = "0_" + std::to_string(i);
    e.moved.push_back({task, group::moved_role::active, std::string(36, 'a'), std::string(36, 'b')});
  }
  const auto data = encode_event(e);
  EXPECT_LT(data.size(), 6'000U);
  EXPECT_EQ(decode_event(data).value(), e);
}

TEST(timeline_codec, keys_of_a_group_are_in_the_order_of_the_index) {
  EXPECT_LT(timeline_key("g", 255), timeline_key("g", 256));
  EXPECT_EQ(index_of(timeline_key("g", 1'234'567'890'123)), 1'234'567'890'123U);
  EXPECT_EQ(index_of("short"), std::nullopt);
  EXPECT_FALSE(timeline_key("g1", 1).starts_with(timeline_prefix("g")));
}

TEST(timeline_codec, a_newer_version_and_an_unknown_cause_are_refused_in_words) {
  auto newer = encode_event(full_event());
  newer[0] = 2;
  EXPECT_EQ(decode_event(newer).error().message, "it was written by a newer version");
  EXPECT_EQ(time_of_event(newer), std::nullopt);
  auto unknown = encode_event(full_event());
  unknown[10] = 'X';  // version, time, length of the name
  EXPECT_EQ(decode_event(unknown).error().message, "its cause is unknown to this version");
}

TEST(timeline_codec, every_prefix_is_refused) {
  const auto data = encode_event(full_event());
  for (std::size_t size = 0; size < data.size(); ++size) {
    EXPECT_FALSE(decode_event(std::string_view(data).substr(0, size))) << size;
  }
}

TEST(timeline_codec, garbage_never_hurts) {
  std::mt19937 dice(7);
  const auto data = encode_event(full_event());
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = data;
    for (auto changes = 1 + dice() % 4; changes > 0; --changes) {
      damaged[dice() % damaged.size()] = static_cast<char>(dice());
    }
    const auto read = decode_event(damaged);
    if (read) {
      EXPECT_LE(read->moved.size(), group::moves_max);
    }
    std::string noise(dice() % 200, '\0');
    for (char& c : noise) c = static_cast<char>(dice());
    if (!noise.empty()) noise[0] = 1;
    static_cast<void>(decode_event(noise));
  }
}

std::shared_ptr<const group::event> event_at(std::int64_t time_ms) {
  group::event e;
  e.time_ms = time_ms;
  return std::make_shared<const group::event>(e);
}

TEST(event_feed, is_read_from_a_place_on_and_tells_if_the_place_is_lost) {
  event_feed feed;
  EXPECT_EQ(feed.newest(), 0U);
  feed.publish("a", event_at(5));
  feed.publish("b", event_at(5));
  const auto all = feed.read(0, 9);
  ASSERT_EQ(all.entries.size(), 2U);
  EXPECT_EQ(all.entries[0].number, 5'000U);
  EXPECT_EQ(all.entries[1].number, 5'001U);
  EXPECT_FALSE(all.lost);
  EXPECT_EQ(feed.read(0, 1).entries.size(), 1U);
  EXPECT_EQ(feed.read(5'000, 9).entries.front().group_id, "b");
  for (std::size_t i = 0; i < event_feed::entries_max; ++i) feed.publish("c", event_at(6));
  EXPECT_TRUE(feed.read(5'000, 1).lost);
  EXPECT_FALSE(feed.read(5'001, 1).lost);
  EXPECT_EQ(feed.read(0, 2 * event_feed::entries_max).entries.size(), event_feed::entries_max);
}

TEST(event_feed, keeps_fewer_events_if_they_are_large_and_the_newest_of_any_size) {
  event_feed feed;
  group::event large;
  large.time_ms = 1;
  large.detail.assign(event_feed::bytes_max / 4, 'x');
  const auto shared = std::make_shared<const group::event>(large);
  for (int i = 0; i < 10; ++i) feed.publish("a", shared);
  EXPECT_EQ(feed.read(0, 99).entries.size(), 3U);
  EXPECT_TRUE(feed.read(0, 99).lost);
  large.detail.assign(2 * event_feed::bytes_max, 'x');
  feed.publish("b", std::make_shared<const group::event>(large));
  EXPECT_EQ(feed.read(0, 99).entries.size(), 1U);
  feed.publish("c", event_at(2));
  EXPECT_EQ(feed.read(0, 99).entries.size(), 1U) << "room is made for what comes after it";
}

TEST(event_feed, numbers_rise_although_the_clock_goes_back) {
  event_feed feed;
  feed.publish("a", event_at(9));
  feed.publish("a", event_at(3));
  EXPECT_EQ(feed.newest(), 9'001U);
}

TEST(event_feed, wakes_who_listens_and_nobody_else) {
  event_feed feed;
  std::vector<std::string> heard;
  auto listener = feed.listen([&](std::string_view group_id) { heard.emplace_back(group_id); });
  EXPECT_EQ(feed.listeners(), 1U);
  feed.publish("a", event_at(1));
  listener.reset();
  EXPECT_EQ(feed.listeners(), 0U);
  feed.publish("b", event_at(2));
  EXPECT_EQ(heard, std::vector<std::string>{"a"});
}

group::event of(group::cause why, const std::string& member, std::int64_t time_ms) {
  group::event e;
  e.why = why;
  e.member_id = member;
  e.time_ms = time_ms;
  return e;
}

TEST(rebalance_loops, count_causes_of_members_by_member_and_others_by_themselves) {
  rebalance_loops loops({.count = 2, .window_ms = 100});
  EXPECT_FALSE(loops.note(of(group::cause::member_joined, "A", 0)));
  EXPECT_FALSE(loops.note(of(group::cause::member_joined, "B", 1)));
  EXPECT_FALSE(loops.note(of(group::cause::metadata_changed, "A", 2)));
  const auto alarm = loops.note(of(group::cause::metadata_changed, "B", 3));
  ASSERT_TRUE(alarm);
  EXPECT_EQ(*alarm, (group::loop_alarm{group::cause::metadata_changed, "", 2, 100, 2}));
  EXPECT_FALSE(loops.note(of(group::cause::metadata_changed, "B", 4))) << "raised already";
  EXPECT_EQ(loops.on_at(4).front().count, 3);
  EXPECT_TRUE(loops.on_at(200).empty());
}

TEST(rebalance_loops, none_if_switched_off_or_if_it_is_progress) {
  rebalance_loops off({.count = 0, .window_ms = 100});
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(off.note(of(group::cause::member_joined, "A", i)));
  EXPECT_TRUE(off.on_at(9).empty());
  rebalance_loops loops({.count = 2, .window_ms = 100});
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(loops.note(of(group::cause::warm_up_caught_up, "A", i)));
}

}  // namespace
}  // namespace weir::actors
