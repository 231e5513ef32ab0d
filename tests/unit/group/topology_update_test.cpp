// Topology updates and rolling upgrades: spec 01, 11.3. The old application reads foo as subtopology 0 and bar as
// subtopology 1; in the new one the reader of bar comes first in name, and foo is read by subtopology 2.
#include <gtest/gtest.h>

#include "group/offsets/commit.hpp"
#include "group/offsets/delete.hpp"
#include "group/versions.hpp"
#include "group/waiting_for.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

topology app_of(std::int32_t epoch, const std::vector<std::pair<std::string, std::string>>& parts) {
  topology app;
  app.epoch = epoch;
  for (const auto& [id, source] : parts) {
    auto part = reading({source}).subtopologies[0];
    part.id = id;
    app.subtopologies.push_back(part);
  }
  return app;
}

topology old_app() { return app_of(0, {{"0", "foo"}, {"1", "bar"}}); }
topology new_app() { return app_of(1, {{"1", "bar"}, {"2", "foo"}}); }

class updates : public ::testing::Test {
 protected:
  updates() { s.topic("bar", 4).app(old_app()); }

  /// A reads all of foo, B all of bar.
  void start_two() {
    s.split({{"A", "0:0-3;1:0-3"}}).join("A");
    s.split({{"A", "0:0-3"}, {"B", "1:0-3"}}).join("B");
    s.hb("A", 2, {.own = "0:0-3"});
    s.hb("B", 3);
    ASSERT_EQ(s.group(), "g3/a3 STABLE");
  }
  /// C brings the new application.
  std::string upgrade(const std::string& tasks = "1:0-3;2:0-3") {
    s.split({{"C", tasks}}).app(new_app());
    return s.join("C");
  }
  int commit(const char* member_id, int epoch, const char* topic, std::int32_t partition) {
    commit_check made;
    made.member_id = member_id;
    made.member_epoch = epoch;
    made.partitions = {{topic, partition}};
    const auto verdict = check_commit(s.state(), made);
    return verdict ? protocol::code_of(verdict->code) : 0;
  }

  scenario s{false};
};

TEST_F(updates, s11_3_the_next_epoch_replaces_the_topology_and_moves_the_group_epoch) {
  start_two();
  EXPECT_EQ(upgrade(), "ep 4, {}, []");
  EXPECT_EQ(s.written().substr(0, 8), "19 23 17");
  EXPECT_EQ(s.events().substr(0, 22), "topology-updated g4/a4");
  EXPECT_EQ(s.last_events().front().detail.substr(0, 22), "topology epoch 0 -> 1;");
  EXPECT_EQ(*s.state().topology, new_app());
  EXPECT_EQ(s.state().metadata.validated_topology_epoch, 1);
}

TEST_F(updates, s11_3_members_at_the_old_epoch_are_told_and_keep_what_they_have) {
  start_two();
  upgrade();
  EXPECT_EQ(s.hb("A", 3), "ep 4, -, [0]");
  EXPECT_EQ(s.hb("B", 3, {.own = "1:0-3"}), "ep 4, -, [0]") << "its ids are those of its own topology";
  EXPECT_EQ(s.member("A"), "STABLE 4/3 A{0:0-3}");
  EXPECT_EQ(s.target("A"), "A{0:0-3}");
  EXPECT_EQ(s.member("C"), "UNRELEASED 4/0 {}");
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
  const auto waits = in_words(waits_of(s.state(), s.view().config, s.now()));
  ASSERT_EQ(waits.size(), 3U) << "one for each holder, and the upgrade";
  EXPECT_NE(waits[0].find("2_0 (held by A, which runs topology epoch 0 until it is upgraded)"), std::string::npos);
  EXPECT_NE(waits[2].find("2 of 3 members to be upgraded to topology epoch 1"), std::string::npos);
}

TEST_F(updates, s11_3_what_a_replaced_member_had_goes_to_the_new_ones_and_the_roll_ends_stable) {
  start_two();
  upgrade();
  s.leave("B");
  EXPECT_EQ(s.hb("C", 4), "ep 5, A{1:0-3}, []") << "bar is free, foo is read by A still";
  s.leave("A");
  EXPECT_EQ(s.hb("C", 5), "ep 6, A{1:0-3;2:0-3}, []");
  EXPECT_EQ(s.group(), "g6/a6 STABLE");
  EXPECT_TRUE(waits_of(s.state(), s.view().config, s.now()).empty());
}

TEST_F(updates, s11_3_no_partition_is_read_by_two_versions_though_the_task_ids_differ) {
  start_two();
  s.leave("B");
  upgrade();
  s.hb("A", 3);
  EXPECT_EQ(s.member("C"), "UNRELEASED 5/0 A{1:0-3}") << "2_0 would read what 0_0 reads";
  EXPECT_EQ(s.member("A"), "STABLE 5/3 A{0:0-3}");
}

TEST_F(updates, s11_3_tasks_that_share_a_changelog_wait_for_each_other) {
  s.topic("cl", 4);
  auto stateful = app_of(0, {{"0", "foo"}});
  stateful.subtopologies[0].state_changelog_topics = {{.name = "cl", .configs = {}}};
  s.app(stateful).join("A");
  auto moved = app_of(1, {{"9", "bar"}});
  moved.subtopologies[0].state_changelog_topics = stateful.subtopologies[0].state_changelog_topics;
  s.app(moved).join("C");
  EXPECT_EQ(s.member("C"), "UNRELEASED 3/0 {}");
}

TEST_F(updates, s11_3_tasks_pending_revocation_block_too) {
  s.join("A");
  s.split({{"A", "0:0-3;1:0-3"}}).join("A");
  s.split({{"A", "0:0-3"}, {"B", "1:0-3"}}).join("B");
  s.hb("A", 2);
  ASSERT_EQ(s.member("A"), "UNREVOKED 2/2 A{0:0-3} pending A{1:0-3}");
  upgrade("1:0-3;2:0-3");
  EXPECT_EQ(s.member("C"), "UNRELEASED 4/0 {}");
  EXPECT_EQ(s.hb("A", 2, {.own = "0:0-3"}), "ep 4, -, [0]") << "what it was asked for before it still gives back";
  EXPECT_EQ(s.hb("C", 4), "ep 4, A{1:0-3}, []");
}

TEST_F(updates, s11_3_after_a_restart_equal_partition_numbers_are_what_counts) {
  start_two();
  s.leave("B");
  upgrade("1:0-3;2:0-3");
  ASSERT_EQ(s.member("C"), "UNRELEASED 5/0 A{1:0-3}");
  s.reload();
  EXPECT_EQ(s.hb("C", 5, {.own = "1:0-3"}), "ep 5, -, []") << "what it has it keeps";
  s.split({{"C", "1:0,1;2:0-3"}, {"D", "1:2,3"}}).join("D");
  s.hb("C", 5, {.own = "1:0-3"});
  s.hb("C", 5, {.own = "1:0,1"});
  EXPECT_EQ(s.hb("D", 6), "ep 6, -, []") << "A has tasks of the same numbers, and nobody knows what they read";
  EXPECT_EQ(s.join("A", {.app = old_app()}), "ep 6, A{0:0-3}, [0]");
  EXPECT_EQ(s.hb("D", 6), "ep 6, A{1:2,3}, []") << "A has told again";
}

TEST_F(updates, s11_3_who_joins_again_with_the_new_topology_starts_from_nothing) {
  start_two();
  s.split({{"A", "1:0-3;2:0-3"}}).app(new_app());
  EXPECT_EQ(s.join("A"), "ep 4, A{2:0-3}, []") << "its own former tasks do not stand in its way, B's do";
  s.leave("B");
  EXPECT_EQ(s.hb("A", 4), "ep 5, A{1:0-3;2:0-3}, []");
  EXPECT_EQ(s.group(), "g5/a5 STABLE");
}

TEST_F(updates, s11_3_a_static_member_is_upgraded_in_place) {
  s.join("A", {.instance = "i1", .process = "p"});
  s.hb("A", -2, {.instance = "i1"});
  EXPECT_EQ(s.join("A2", {.instance = "i1", .process = "p", .app = new_app()}), "ep 3, A{1:0-3;2:0-3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
}

TEST_F(updates, s11_3_a_target_of_the_old_topology_is_void_while_the_next_one_is_postponed) {
  start_two();
  s.interval(5000).app(new_app());
  EXPECT_EQ(s.join("A"), "ep 3, {}, [5]");
  EXPECT_EQ(s.target("A"), "{}");
  EXPECT_EQ(s.member("A"), "STABLE 3/3 {}");
  EXPECT_EQ(s.hb("A", 3), "ep 3, -, [5]");
  s.split({{"A", "1:0-3;2:0-3"}}).pass(5000);
  EXPECT_EQ(s.hb("A", 3), "ep 4, A{2:0-3}, []");
}

TEST_F(updates, s11_3_a_new_topology_that_is_not_ready_does_not_disturb_the_old_members) {
  start_two();
  auto stateful = new_app();
  stateful.subtopologies[0].state_changelog_topics = {{.name = "cl", .configs = {}}};
  s.app(stateful);
  EXPECT_EQ(s.join("C"), "ep 4, {}, [3]");
  EXPECT_EQ(s.group(), "g4/a4 NOT_READY");
  EXPECT_EQ(s.hb("A", 3), "ep 4, -, [0]");
  EXPECT_EQ(s.member("A"), "STABLE 4/3 A{0:0-3}");
}

TEST_F(updates, s11_3_other_epochs_and_other_contents_are_refused) {
  start_two();
  auto far = new_app();
  far.epoch = 2;
  EXPECT_EQ(s.join("C", {.app = far}), "error 131");
  EXPECT_NE(s.last().answer.error_message->view().find("next epoch"), std::string_view::npos);
  auto other = new_app();
  other.epoch = 0;
  EXPECT_EQ(s.join("C", {.app = other}), "error 131") << "content without an epoch of its own";
  upgrade();
  EXPECT_EQ(s.join("D", {.app = other}), "error 131") << "A and B run another topology of epoch 0";
  EXPECT_EQ(s.group(), "g4/a4 RECONCILING");
}

TEST_F(updates, s11_3_the_same_content_at_the_next_epoch_is_an_update_like_any_other) {
  start_two();
  auto same = old_app();
  same.epoch = 1;
  s.split({{"C", "0:0-3;1:0-3"}});
  EXPECT_EQ(s.join("C", {.app = same}), "ep 4, {}, []");
  EXPECT_EQ(s.hb("A", 3), "ep 4, -, [0]");
}

TEST_F(updates, s11_3_a_topology_that_can_never_run_replaces_nothing) {
  start_two();
  auto broken = new_app();
  broken.subtopologies[0].source_topics.clear();
  EXPECT_EQ(s.join("C", {.app = broken}), "error 130");
  EXPECT_EQ(*s.state().topology, old_app());
  EXPECT_EQ(s.hb("A", 3), "ep 3, -, []");
}

TEST_F(updates, s11_3_once_nobody_runs_the_new_topology_the_old_one_is_back) {
  start_two();
  upgrade();
  s.leave("B");
  s.hb("C", 4);
  s.leave("C");
  s.split({{"A", "0:0-3;1:0-3"}});
  EXPECT_EQ(s.hb("A", 3), "ep 7, A{0:0-3;1:0-3}, []") << "the tasks of B are not left alone";
  EXPECT_EQ(s.events().substr(0, 22), "topology-updated g7/a7");
  EXPECT_EQ(*s.state().topology, old_app());
  EXPECT_EQ(upgrade(), "ep 8, {}, []") << "and the way forward is open again";
}

TEST_F(updates, s11_3_the_way_back_needs_a_member_that_knows_the_old_topology) {
  start_two();
  upgrade();
  s.reload();
  s.leave("C");
  EXPECT_EQ(s.hb("A", 3), "ep 5, -, [0]");
  EXPECT_EQ(s.member("A"), "STABLE 5/3 A{0:0-3}");
  s.split({{"A", "0:0-3"}, {"B", "1:0-3"}, {"D", ""}});
  EXPECT_EQ(s.join("D", {.app = old_app()}), "ep 6, {}, []");
  EXPECT_EQ(*s.state().topology, old_app());
}

TEST_F(updates, appendix_b_a_late_commit_is_judged_by_the_topology_of_its_member) {
  start_two();
  upgrade();
  s.hb("A", 3);
  EXPECT_EQ(commit("A", 4, "foo", 1), 0);
  EXPECT_EQ(commit("A", 3, "foo", 1), 0) << "0_1 since epoch 2";
  EXPECT_EQ(commit("A", 3, "bar", 1), 113) << "reads bar in no version";
  s.reload();
  EXPECT_EQ(commit("A", 4, "foo", 1), 0);
  EXPECT_EQ(commit("A", 3, "foo", 1), 113) << "what 0_1 reads is not known any more";
}

TEST_F(updates, s5_6_endpoints_of_old_members_tell_what_their_own_tasks_read) {
  s.app(app_of(0, {{"0", "foo"}})).join("A", {.endpoint = "ha:1"});
  s.app(app_of(1, {{"0", "bar"}})).join("C", {.endpoint = "hc:1"});
  EXPECT_NE(s.endpoints().find("ha: foo 0-3"), std::string::npos) << s.endpoints();
}

TEST_F(updates, s13_4_offsets_of_what_old_members_read_are_kept) {
  s.app(app_of(0, {{"0", "foo"}})).join("A");
  s.app(app_of(1, {{"0", "bar"}})).join("C");
  EXPECT_TRUE(live_readers(s.state()).reads("foo"));
  EXPECT_TRUE(live_readers(s.state()).reads("bar"));
  s.leave("A");
  EXPECT_FALSE(live_readers(s.state()).reads("foo"));
}

TEST_F(updates, s13_4_after_a_restart_old_members_may_read_anything) {
  s.app(app_of(0, {{"0", "foo"}})).join("A");
  s.app(app_of(1, {{"0", "bar"}})).join("C");
  s.reload();
  EXPECT_TRUE(live_readers(s.state()).reads("foo"));
  EXPECT_FALSE(live_readers(s.state(), true).reads("foo")) << "as Kafka judges";
  s.leave("A");
  EXPECT_FALSE(live_readers(s.state()).reads("foo"));
}

TEST(updates_strict, are_refused_as_by_kafka) {
  scenario s(true);
  s.topic("bar", 4).app(old_app());
  s.join("A");
  EXPECT_EQ(s.join("B", {.app = new_app()}), "error 42");
}

}  // namespace
}  // namespace weir::group
