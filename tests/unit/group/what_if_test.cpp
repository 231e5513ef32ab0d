// What-if: the plan is the one that the group would really get, and it tells what it costs.
#include "group/what_if.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

using protocol::error_code;

// Two processes with a thread each and four stateful tasks; all reported.
scenario settled() {
  scenario s(false);
  s.topic("cl", 4).app(reading({"foo"}, "cl"));
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2, {.own = "0:0-3"});
  s.hb("A", 2, {.own = "0:0,1", .offsets = "0_0=500;0_1=900", .end_offsets = "0_0=500;0_1=900"});
  s.hb("B", 3, {.offsets = "0_2=70000;0_3=30", .end_offsets = "0_2=70000;0_3=30"});
  EXPECT_EQ(name(state_of(s.state())), "Stable");
  return s;
}

class asking {
 public:
  explicit asking(const scenario& s) : image_(std::make_shared<const metadata::image>(s.view().image)) {
    view_.group = s.state();
    view_.config = s.view().config;
    view_.own_config = {{"streams.initial.rebalance.delay.ms", "0"}, {"streams.assignment.interval.ms", "0"}};
    view_.state = state_of(view_.group);
    view_.now_ms = s.now();
    broker_.assignors = {"sticky", "highly_available"};
  }
  protocol::kafka_result<what_if_answer> operator()(const what_if_question& asked) const {
    return what_if(asked, {.view = view_, .broker = broker_, .image = image_, .strict_kafka = false});
  }

 private:
  group_view view_;
  broker_config broker_;
  metadata::image_ptr image_;
};

config_change standbys(const std::string& count) {
  return {.replaces = false, .values = {{"streams.num.standby.replicas", count}}, .only_if = {}};
}

TEST(what_if, nothing_moves_in_a_settled_group_if_nothing_is_different) {
  const auto s = settled();
  const auto answer = asking(s)({});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->moved.empty());
  EXPECT_EQ(answer->tasks_moved, 0);
  EXPECT_EQ(answer->state_to_restore, 0);
  EXPECT_EQ(answer->group_epoch, s.state().metadata.epoch + 1);
  EXPECT_EQ(answer->target, s.state().targets);
  EXPECT_EQ(answer->before->active_per_member, answer->after->active_per_member);
}

TEST(what_if, other_settings_give_the_target_that_then_really_comes) {
  auto s = settled();
  what_if_question asked;
  asked.config = standbys("1");
  const auto answer = asking(s)(asked);
  ASSERT_TRUE(answer) << answer.error().message;

  const auto before = s.view().config;
  s.set("streams.num.standby.replicas", "1");
  const auto built_in = assignor::registry::built_in();
  const auto now = s.view();
  const world with_built_in{.image = now.image, .hashes = now.hashes, .config = now.config, .max_size = now.max_size,
                            .assignors = built_in, .strict_kafka = false, .now_ms = now.now_ms};
  s.carry_out(follow_config(s.state(), with_built_in, before));
  EXPECT_EQ(answer->target, s.state().targets);
  EXPECT_EQ(answer->group_epoch, s.state().metadata.epoch);
  EXPECT_EQ(answer->after->standby_placed, 4);
  EXPECT_EQ(answer->state_to_restore, 500 + 900 + 70'000 + 30) << "each process restores what the other runs";
}

TEST(what_if, added_members_get_tasks_and_the_cost_is_the_state_they_must_restore) {
  const auto s = settled();
  what_if_question asked;
  asked.added = {{.process_id = "p-C", .count = 2, .rack_id = {}, .client_tags = {}}};
  const auto answer = asking(s)(asked);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->target.size(), 4U);
  EXPECT_EQ(answer->tasks_moved, 2);
  std::int64_t sum = 0;
  for (const auto& m : answer->moved) {
    EXPECT_TRUE(m.move.to_member.starts_with("new-p-C-")) << m.move.to_member;
    ASSERT_TRUE(m.restore);
    sum += *m.restore;
  }
  EXPECT_EQ(answer->state_to_restore, sum);
  EXPECT_GT(answer->waiting, 0U) << "a newcomer warms up first";
  EXPECT_FALSE(answer->warmups.empty());
}

TEST(what_if, a_removed_process_leaves_its_tasks_to_the_others) {
  const auto s = settled();
  what_if_question asked;
  asked.removed_processes = {"p-B"};
  const auto answer = asking(s)(asked);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->target.size(), 1U);
  EXPECT_EQ(answer->tasks_moved, 2);
  for (const auto& m : answer->moved) EXPECT_EQ(m.move.from_member, "B");
  EXPECT_EQ(answer->state_to_restore, 70'030);
}

TEST(what_if, a_drained_process_gets_nothing_and_its_tasks_wait_until_they_are_warm) {
  const auto s = settled();
  what_if_question asked;
  asked.drains = {{"p-B", true}};
  const auto answer = asking(s)(asked);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->target.at("B").empty());
  EXPECT_EQ(answer->tasks_moved, 2);
  EXPECT_EQ(answer->waiting, 2U) << "A has nothing of them";
  asked.drains = {{"p-A", true}, {"p-B", true}};
  EXPECT_EQ(asking(s)(asked).error().code, error_code::invalid_request);
}

TEST(what_if, every_built_in_assignor_can_be_tried_and_another_is_refused) {
  const auto s = settled();
  for (const auto name : assignor::registry::built_in().names()) {
    what_if_question asked;
    asked.assignor = name;
    const auto answer = asking(s)(asked);
    ASSERT_TRUE(answer) << name << answer.error().message;
    EXPECT_EQ(answer->assignor, name);
  }
  what_if_question asked;
  asked.assignor = "astrology";
  const auto refused = asking(s)(asked);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("sticky"), std::string::npos) << "the known ones are named";
}

TEST(what_if, partitions_can_grow_and_their_tasks_are_planned) {
  const auto s = settled();
  what_if_question asked;
  asked.partitions = {{"foo", 6}, {"cl", 6}};
  const auto answer = asking(s)(asked);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->target.at("A").active.at("0").size(), 3U);
  asked.partitions = {{"foo", 3}};
  EXPECT_NE(asking(s)(asked).error().message.find("foo has 4 partitions"), std::string::npos);
  asked.partitions = {{"bar", 3}};
  EXPECT_EQ(asking(s)(asked).error().code, error_code::invalid_request);
  asked.partitions = {{"foo", 6}};
  const auto refused = asking(s)(asked);
  ASSERT_FALSE(refused) << "a changelog with too few partitions stops the group";
  EXPECT_NE(refused.error().message.find("cl"), std::string::npos);
}

TEST(what_if, partitions_of_topics_that_a_pattern_matches_can_grow) {
  scenario s(false);
  auto app = reading({});
  app.subtopologies[0].source_topic_regex = {"fo+"};
  s.app(app).join("A");
  what_if_question asked;
  asked.partitions = {{"foo", 6}};
  const auto answer = asking(s)(asked);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->target.at("A").active.at("0").size(), 6U);
  asked.partitions = {{"bar", 6}};
  EXPECT_EQ(asking(s)(asked).error().code, error_code::invalid_request);
}

TEST(what_if, members_of_an_older_topology_keep_what_they_have_and_that_is_no_move) {
  auto s = settled();
  auto next = reading({"foo"}, "cl");
  next.epoch = 1;
  s.app(next).leave("B");
  s.split({{"B", "0:0-3"}}).join("B");
  ASSERT_EQ(s.state().topology->epoch, 1);
  ASSERT_EQ(s.state().members.at("A").metadata.topology_epoch, 0);
  const auto answer = asking(s)({});
  ASSERT_TRUE(answer) << answer.error().message;
  for (const auto& move : answer->moved) EXPECT_NE(move.move.to_member, "A");
  EXPECT_EQ(answer->target.at("A").active, (task_set{{"0", {0, 1}}}));
}

TEST(what_if, of_lying_members_the_state_to_restore_is_the_greatest_number_there_is) {
  auto s = settled();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  soft_update lie;
  lie.member_id = "A";
  lie.offsets = task_offsets{{"0", {{0, -5}, {1, -5}}}};
  lie.end_offsets = task_offsets{{"0", {{0, most - 1}, {1, most - 1}}}};
  apply(s.mutable_state(), lie);
  EXPECT_EQ(lag_of(s.state().soft.members.at("A"), "0", 0), most);
  what_if_question asked;
  asked.config = standbys("1");
  const auto answer = asking(s)(asked);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->state_to_restore, most);
}

TEST(what_if, names_what_cannot_be) {
  const auto s = settled();
  what_if_question asked;
  asked.removed_members = {"Z"};
  EXPECT_EQ(asking(s)(asked).error().code, error_code::unknown_member_id);
  asked.removed_members = {"A", "B"};
  EXPECT_EQ(asking(s)(asked).error().code, error_code::invalid_request);
  asked.removed_members = {};
  asked.removed_processes = {"p-Z"};
  EXPECT_EQ(asking(s)(asked).error().code, error_code::unknown_member_id);
  asked.removed_processes = {};
  asked.config = standbys("99");
  EXPECT_EQ(asking(s)(asked).error().code, error_code::invalid_config);
  asked.config = {};
  asked.added = {{.process_id = "p", .count = added_members_max + 1, .rack_id = {}, .client_tags = {}}};
  EXPECT_EQ(asking(s)(asked).error().code, error_code::invalid_request);
}

TEST(what_if, warns_of_idle_members_and_of_standbys_without_a_place) {
  const auto s = settled();
  what_if_question asked;
  asked.added = {{.process_id = "p-C", .count = 5, .rack_id = {}, .client_tags = {}}};
  EXPECT_NE(asking(s)(asked)->warnings.at(0).find("3 members"), std::string::npos);
  asked.added = {};
  asked.config = standbys("2");
  EXPECT_NE(asking(s)(asked)->warnings.at(0).find("places for 1"), std::string::npos);
}

}  // namespace
}  // namespace weir::group
