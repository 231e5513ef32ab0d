#include "actors/kept_view.hpp"

#include "world.hpp"

namespace weir::actors {
namespace {

group::streams_group group_of(std::size_t members) {
  group::streams_group out;
  out.id = "g";
  out.kind = group::group_kind::streams;
  for (std::size_t i = 0; i < members; ++i) out.members["m" + std::to_string(i)].current.member_epoch = 1;
  return out;
}

TEST(kept_view, a_large_group_is_copied_once_and_what_heartbeats_and_commits_change_is_brought_up_to_date) {
  kept_view views;
  auto group = group_of(60);
  auto first = views.of(group, 0);
  const auto* const place = first.get();
  first.reset();
  group.soft.members["m1"].offsets = group::task_offsets{{"0", {{0, 7}}}};
  group.offsets["in"][0].offset = 9;
  const auto second = views.of(group, 1);
  EXPECT_EQ(second.get(), place);
  EXPECT_EQ(second->group.soft.members.at("m1").offsets.get().at("0").at(0), 7);
  EXPECT_EQ(second->group.offsets.at("in").at(0).offset, 9);
  EXPECT_EQ(second->group.members.size(), 60U);
}

TEST(kept_view, what_is_still_shown_does_not_change) {
  kept_view views;
  auto group = group_of(60);
  const auto shown = views.of(group, 0);
  group.soft.endpoint_epoch = 5;
  const auto next = views.of(group, 1);
  EXPECT_NE(next, shown);
  EXPECT_EQ(shown->group.soft.endpoint_epoch, 0);
  EXPECT_EQ(next->group.soft.endpoint_epoch, 5);
}

TEST(kept_view, a_change_a_small_group_and_time_leave_nothing_kept) {
  kept_view views;
  auto group = group_of(60);
  EXPECT_TRUE(views.of(group, 0));
  views.forget();
  EXPECT_FALSE(views.unused_at_ms());
  group.members.erase("m1");
  EXPECT_EQ(views.of(group, 0)->group.members.size(), 59U);
  const auto end = views.unused_at_ms();
  ASSERT_TRUE(end);
  views.forget_if_unused(*end - 1);
  EXPECT_TRUE(views.unused_at_ms());
  views.forget_if_unused(*end);
  EXPECT_FALSE(views.unused_at_ms());
  EXPECT_TRUE(views.of(group_of(3), 0));
  EXPECT_FALSE(views.unused_at_ms());
}

TEST(kept_view, every_view_of_a_large_group_shows_all_that_was_answered) {
  world w;
  for (int i = 0; i < 60; ++i) {
    const auto member = "m" + std::to_string(i);
    const auto joined = w.beat(member, 0);
    auto view = w.view();
    ASSERT_TRUE(view);
    EXPECT_EQ(view->group.members.size(), static_cast<std::size_t>(i) + 1);
    EXPECT_EQ(view->group.members.at(member).current.member_epoch, joined.member_epoch);
  }
  auto before = w.view();
  const auto deadline = before->group.soft.members.at("m0").session_deadline_ms;
  const auto epoch = before->group.members.at("m0").current.member_epoch;
  before.reset();
  w.pass(1'000);
  w.beat("m0", epoch);
  EXPECT_EQ(*w.view()->group.soft.members.at("m0").session_deadline_ms, *deadline + 1'000);
  EXPECT_EQ(w.commit("", -1, 5), protocol::error_code::unknown_member_id);
  w.beat("m59", -1);
  EXPECT_FALSE(w.view()->group.members.contains("m59"));
}

TEST(kept_view, a_change_that_could_not_be_written_is_in_no_later_view) {
  world w;
  for (int i = 0; i < 60; ++i) w.beat("m" + std::to_string(i), 0);
  w.log.hold();
  w.send("late", 0);
  bool is_told = false;
  w.coordinator->view("g", [&](const viewed_group& told) {
    is_told = true;
    EXPECT_FALSE(told) << "it waits for the write it shows";
  });
  w.run();
  EXPECT_FALSE(is_told);
  w.log.fail_next(1, "disk full");
  w.log.resume();
  w.run();
  EXPECT_TRUE(is_told);
  const auto view = w.view();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->group.members.size(), 60U);
  EXPECT_FALSE(view->group.members.contains("late"));
}

}  // namespace
}  // namespace weir::actors
