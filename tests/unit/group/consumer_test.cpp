// ConsumerGroupHeartbeat: what a 4.4 broker answers (tests/conformance/consumer_groups.py asks one).
#include <gmock/gmock.h>

#include <algorithm>

#include "base/limits.hpp"
#include "group/invariants.hpp"
#include "tests/unit/group/consumer_fixture.hpp"

namespace weir::group {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(consumer_test, the_first_member_makes_the_group_and_gets_everything) {
  EXPECT_EQ(send(joins("a")), 0);
  EXPECT_EQ(answer.member_epoch, 2);
  EXPECT_EQ(answer.heartbeat_interval_ms, 5'000);
  EXPECT_EQ(told(), (parts{{"t", {0, 1, 2, 3}}}));
  EXPECT_EQ(group.kind, group_kind::consumer);
  ASSERT_EQ(last_written.size(), 1U) << "nothing but the group itself is stored";
  EXPECT_EQ(std::get<consumer_group_record>(last_written[0]).value->epoch, 2);
  EXPECT_NE(std::get<consumer_group_record>(last_written[0]).value->metadata_hash, 0);
  EXPECT_EQ(state(), "Stable");
  EXPECT_EQ(beat("a", 2), 2);
  EXPECT_EQ(told(), (parts{{"none", {}}})) << "nothing new";
  EXPECT_THAT(last_written, IsEmpty());
  EXPECT_THAT(check_invariants(group), IsEmpty());
}

TEST_F(consumer_test, a_member_that_says_everything_is_told_everything) {
  send(joins("a"));
  auto request = owning(joins("a"), {{"t", {0}}});
  request.member_epoch = 2;
  EXPECT_EQ(send(request), 0);
  EXPECT_EQ(told(), (parts{{"t", {0, 1, 2, 3}}}));
  EXPECT_EQ(send(joins("a")), 0) << "joins again, with the same wishes";
  EXPECT_EQ(answer.member_epoch, 2);
  EXPECT_EQ(told(), (parts{{"t", {0, 1, 2, 3}}}));
}

TEST_F(consumer_test, a_member_without_topics_moves_no_epoch) {
  EXPECT_EQ(send(joins("a", {})), 0);
  EXPECT_EQ(answer.member_epoch, 1);
  EXPECT_EQ(told(), parts());
  EXPECT_EQ(epoch(), 1);
  EXPECT_EQ(last_written.size(), 1U) << "the group is stored all the same";
  EXPECT_EQ(state(), "Stable");
}

TEST_F(consumer_test, a_partition_is_given_when_its_holder_has_given_it_up) {
  send(joins("a"));
  EXPECT_EQ(send(joins("b")), 0);
  EXPECT_EQ(answer.member_epoch, 3);
  EXPECT_EQ(told(), parts());
  EXPECT_EQ(state(), "Reconciling");
  EXPECT_EQ(beat("a", 2), 2) << "the epoch comes with the release";
  const auto kept = told();
  EXPECT_EQ(kept.at("t").size(), 2U);
  EXPECT_EQ(beat("a", 2, {{"t", {0, 1, 2, 3}}}), 2);
  EXPECT_EQ(beat("b", 3), 3);
  EXPECT_EQ(told(), (parts{{"none", {}}}));
  EXPECT_EQ(beat("a", 2, kept), 3);
  EXPECT_EQ(beat("b", 3), 3);
  const auto of_b = told();
  ASSERT_EQ(of_b.at("t").size(), 2U);
  for (const auto partition : of_b.at("t")) EXPECT_FALSE(std::ranges::count(kept.at("t"), partition) > 0);
  EXPECT_EQ(state(), "Stable");
}

TEST_F(consumer_test, who_is_to_give_up_more_meanwhile_stays_at_its_epoch) {
  make_topic("t", 6);
  send(joins("a"));
  send(joins("b"));
  beat("a", 2);
  const auto first = told();
  send(joins("c"));
  send(joins("d"));
  EXPECT_EQ(beat("a", 2, first), 2);
  EXPECT_LT(told().at("t").size(), first.at("t").size());
  EXPECT_EQ(beat("a", 2, told()), 5);
}

TEST_F(consumer_test, the_epoch_before_is_good_as_long_as_a_member_owns_only_what_it_has) {
  send(joins("a"));
  send(joins("b"));
  beat("a", 2);
  const auto kept = told();
  beat("a", 2, kept);
  EXPECT_EQ(beat("a", 2, kept), 3) << "the answer was lost";
  EXPECT_EQ(beat("a", 2, {{"t", {0, 1, 2, 3}}}), fenced_code);
  EXPECT_EQ(beat("a", 2), fenced_code) << "does not say what it owns";
  EXPECT_EQ(beat("a", 4), fenced_code);
  EXPECT_THAT(answer.error_message->str(), HasSubstr("greater member epoch (4)"));
  EXPECT_EQ(beat("b", 2), fenced_code);
  EXPECT_EQ(beat("c", 2), unknown_code);
}

TEST_F(consumer_test, whoever_leaves_takes_an_epoch_and_the_next_heartbeat_assigns) {
  send(joins("a"));
  send(joins("b"));
  EXPECT_EQ(send(beats("b", -1)), 0);
  EXPECT_EQ(answer.member_epoch, -1);
  EXPECT_EQ(answer.heartbeat_interval_ms, 0);
  EXPECT_EQ(epoch(), 4);
  EXPECT_EQ(state(), "Assigning");
  EXPECT_EQ(beat("a", 2), 4);
  EXPECT_EQ(state(), "Stable");
  send(beats("a", -1));
  EXPECT_EQ(state(), "Empty");
  EXPECT_EQ(epoch(), 5);
  EXPECT_EQ(group.soft.consumer.assignment->epoch, 5);
  EXPECT_EQ(group.kind, group_kind::consumer);
  EXPECT_EQ(beat("a", 5), unknown_code);
  EXPECT_TRUE(group.soft.consumer.holders.empty());
}

TEST_F(consumer_test, a_silent_member_is_out_after_its_session) {
  send(joins("a"));
  send(joins("b"));
  pass(44'000);
  beat("b", 3);
  pass(1'000);
  EXPECT_EQ(beat("a", 2), unknown_code);
  EXPECT_EQ(beat("b", 3), 4);
  EXPECT_EQ(told().at("t").size(), 4U);
}

TEST_F(consumer_test, a_member_that_gives_up_nothing_is_out_after_its_rebalance_timeout) {
  send(joins("a"));
  send(joins("b"));
  pass(9'000);
  EXPECT_EQ(beat("a", 2), 2) << "its time starts now";
  pass(9'999);
  EXPECT_EQ(beat("a", 2), 2);
  pass(1);
  EXPECT_EQ(beat("a", 2), unknown_code);
  EXPECT_EQ(beat("b", 3), 4);
}

TEST_F(consumer_test, assignments_keep_their_distance) {
  options.assignment_interval_ms = 1'000;
  send(joins("a"));
  EXPECT_EQ(send(joins("b")), 0);
  EXPECT_EQ(answer.member_epoch, 2) << "of the assignment that there is";
  EXPECT_EQ(epoch(), 3);
  EXPECT_EQ(state(), "Assigning");
  pass(1'000);
  EXPECT_EQ(beat("b", 2), 3);
  send(beats("a", -1));
  send(beats("b", -1));
  EXPECT_EQ(send(joins("a")), 0);
  EXPECT_EQ(answer.member_epoch, 6) << "an empty group has no assignment to wait for";
}

TEST_F(consumer_test, topics_that_a_member_gives_up_are_taken_at_once) {
  options.assignment_interval_ms = 1'000;
  send(joins("a", {"t", "u"}));
  auto request = beats("a", 2);
  request.subscribed_topic_names = {text("t")};
  EXPECT_EQ(send(request), 0);
  EXPECT_EQ(told(), (parts{{"t", {0, 1, 2, 3}}}));
  EXPECT_EQ(answer.member_epoch, 2);
  EXPECT_EQ(state(), "Assigning");
  pass(1'000);
  EXPECT_EQ(beat("a", 2, {{"t", {0, 1, 2, 3}}}), 3);
}

TEST_F(consumer_test, topics_that_come_grow_and_go_move_the_epoch) {
  send(joins("a", {"t", "later"}));
  make_topic("other", 1);
  EXPECT_EQ(beat("a", 2), 2) << "nobody reads it";
  make_topic("later", 1);
  EXPECT_EQ(beat("a", 2), 3);
  EXPECT_EQ(told(), (parts{{"later", {0}}, {"t", {0, 1, 2, 3}}}));
  make_topic("later", 2);
  EXPECT_EQ(beat("a", 3), 4);
  EXPECT_EQ(told().at("later").size(), 2U);
  drop_topic("t");
  EXPECT_EQ(beat("a", 4), 4);
  EXPECT_EQ(told(), (parts{{"later", {0, 1}}}));
  EXPECT_EQ(beat("a", 4, {{"later", {0, 1}}}), 5);
}

TEST_F(consumer_test, wishes_move_the_epoch_and_a_rack_does_not) {
  send(joins("a"));
  auto request = beats("a", 2);
  request.rack_id = "r";
  EXPECT_EQ(send(request), 0);
  EXPECT_EQ(epoch(), 2);
  EXPECT_EQ(member("a").rack_id, "r");
  request = beats("a", 2);
  request.server_assignor = "range";
  EXPECT_EQ(send(request), 0);
  EXPECT_EQ(epoch(), 3);
  EXPECT_EQ(describe_consumers(group, *image).assignor_name, "range");
  request = beats("a", 3);
  request.subscribed_topic_names = {text("t"), text("t")};
  EXPECT_EQ(send(request), 0);
  EXPECT_EQ(epoch(), 3) << "the same as before";
}

TEST_F(consumer_test, patterns_are_topics_by_their_whole_name) {
  make_topic("tt", 1);
  auto request = joins("a");
  request.subscribed_topic_names.reset();
  request.subscribed_topic_regex = "t+";
  EXPECT_EQ(send(request), 0);
  EXPECT_EQ(told(), (parts{{"t", {0, 1, 2, 3}}, {"tt", {0}}}));
  make_topic("ttt", 1);
  EXPECT_EQ(beat("a", 2), 3);
  EXPECT_EQ(told().size(), 3U);
  request = beats("a", 3);
  request.subscribed_topic_regex = "(";
  EXPECT_EQ(send(request), code_of(error_code::invalid_regular_expression));
  EXPECT_THAT(answer.error_message->str(), HasSubstr("`(` is not a valid regular expression"));
  request.subscribed_topic_regex = text(std::string(limits::source_pattern_bytes_max + 1, 'x'));
  EXPECT_EQ(send(request), code_of(error_code::invalid_regular_expression));
  request.subscribed_topic_regex = "";
  EXPECT_EQ(send(request), 0);
  EXPECT_EQ(told(), parts());
}

TEST_F(consumer_test, a_group_has_so_many_patterns_and_no_more) {
  for (std::size_t i = 0; i <= limits::source_patterns_max; ++i) {
    auto request = joins("m" + std::to_string(i), {});
    request.subscribed_topic_regex = text("x" + std::to_string(i));
    const bool fits = i < limits::source_patterns_max;
    ASSERT_EQ(send(request), fits ? 0 : code_of(error_code::invalid_regular_expression)) << i;
  }
  auto request = joins("another", {});
  request.subscribed_topic_regex = "x0";
  EXPECT_EQ(send(request), 0) << "one that is known";
}

TEST_F(consumer_test, a_full_group_refuses_strangers_never_its_own_members) {
  options.max_size = 1;
  auto request = joins("a");
  request.instance_id = "i";
  send(request);
  EXPECT_EQ(send(joins("b")), code_of(error_code::group_max_size_reached));
  EXPECT_EQ(send(joins("a")), 0);
  auto away = beats("a", -2);
  away.instance_id = "i";
  send(away);
  request = joins("b");
  request.instance_id = "i";
  EXPECT_EQ(send(request), 0);
}

TEST_F(consumer_test, what_was_given_later_is_judged_by_when) {
  send(joins("a"));
  send(joins("b"));
  beat("a", 2);
  const auto kept = told();
  beat("a", 2, kept);
  beat("b", 3);
  const auto& t = image->find("t")->id;
  EXPECT_EQ(member("a").got_at(t, kept.at("t")[0]), 2);
  EXPECT_EQ(member("b").got_at(t, told().at("t")[0]), 3);
  EXPECT_EQ(member("b").got_at(t, kept.at("t")[0]), std::nullopt);
}

TEST_F(consumer_test, described_as_kafka_does) {
  auto request = joins("a", {"t", "u"});
  request.instance_id = "i";
  request.rack_id = "r";
  send(request);
  send(joins("b"));
  beat("a", 2);
  const auto told = describe_consumers(group, *image);
  EXPECT_EQ(told.error_code, 0);
  EXPECT_EQ(told.group_state, "Reconciling");
  EXPECT_EQ(told.group_epoch, 3);
  EXPECT_EQ(told.assignment_epoch, 3);
  EXPECT_EQ(told.assignor_name, "uniform");
  ASSERT_EQ(told.members.size(), 2U);
  const auto& a = told.members[0];
  EXPECT_EQ(a.instance_id, text("i"));
  EXPECT_EQ(a.rack_id, text("r"));
  EXPECT_EQ(a.client_host, "/h");
  EXPECT_EQ(a.member_epoch, 2);
  EXPECT_EQ(a.member_type, 1);
  EXPECT_EQ(a.subscribed_topic_regex, text(""));
  EXPECT_THAT(a.subscribed_topic_names, ElementsAre(text("t"), text("u")));
  ASSERT_EQ(a.assignment.topic_partitions.size(), 2U);
  EXPECT_EQ(a.assignment.topic_partitions[0].partitions.size(), 4U) << "also what it is to give up";
  EXPECT_LT(a.target_assignment.topic_partitions[0].partitions.size(), 4U);
  EXPECT_EQ(a.target_assignment.topic_partitions[0].topic_name, "t");
  streams_group other;
  other.id = "x";
  EXPECT_EQ(describe_consumers(other, *image).error_message, text("Group x not found."));
  other.kind = group_kind::streams;
  EXPECT_EQ(describe_consumers(other, *image).error_message, text("Group x is not a consumer group."));
}

}  // namespace
}  // namespace weir::group
