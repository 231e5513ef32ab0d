// What ConsumerGroupHeartbeat refuses, in the order of a 4.4 broker; static members.
#include <gmock/gmock.h>

#include <functional>

#include "base/limits.hpp"
#include "tests/unit/group/consumer_fixture.hpp"

namespace weir::group {
namespace {

using ::testing::HasSubstr;

class consumer_checks_test : public consumer_test {
 protected:
  using change = std::function<void(beat_request&)>;

  /// The message that such a join is refused with.
  std::string refused(const std::vector<change>& changes) {
    auto request = joins("a");
    for (const auto& made : changes) made(request);
    EXPECT_NE(send(request), 0);
    EXPECT_EQ(group.kind, group_kind::none) << "nothing is made";
    return answer.error_message->str();
  }
  int join_as(const std::string& member_id, const std::string& instance_id, std::string topic = "t") {
    auto request = joins(member_id, {topic});
    request.instance_id = text(instance_id);
    return send(request);
  }
  int beat_as(const std::string& member_id, const std::string& instance_id, std::int32_t epoch) {
    auto request = beats(member_id, epoch);
    request.instance_id = text(instance_id);
    return send(request);
  }
};

TEST_F(consumer_checks_test, of_several_mistakes_the_first_is_told) {
  const std::vector<std::pair<std::string, change>> mistakes = {
      {"MemberId can't be empty.", [](auto& r) { r.member_id = ""; }},
      {"GroupId can't be empty.", [](auto& r) { r.group_id = ""; }},
      {"InstanceId can't be empty.", [](auto& r) { r.instance_id = ""; }},
      {"RackId can't be empty.", [](auto& r) { r.rack_id = ""; }},
      {"RebalanceTimeoutMs must be provided in first request.", [](auto& r) { r.rebalance_timeout_ms = -1; }},
      {"TopicPartitions must be empty when (re-)joining.", [](auto& r) { r.topic_partitions.reset(); }},
      {"Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.",
       [](auto& r) { r.subscribed_topic_names.reset(); }},
      {"ServerAssignor foo is not supported. Supported assignors: uniform, range.",
       [](auto& r) { r.server_assignor = "foo"; }},
  };
  for (std::size_t first = 0; first < mistakes.size(); ++first) {
    for (std::size_t second = first; second < mistakes.size(); ++second) {
      EXPECT_EQ(refused({mistakes[first].second, mistakes[second].second}), mistakes[first].first)
          << "and " << mistakes[second].first;
    }
  }
  EXPECT_THAT(refused({[](auto& r) { r.subscribed_topic_regex = "("; }}), HasSubstr("`(`"));
}

TEST_F(consumer_checks_test, limits_of_our_own) {
  refused({[](auto& r) { r.member_id = text(std::string(limits::consumer_text_bytes_max + 1, 'm')); }});
  EXPECT_EQ(answer.error_code, code_of(error_code::invalid_request));
  refused({[](auto& r) { r.subscribed_topic_names->resize(limits::consumer_topics_max + 1); }});
  EXPECT_EQ(answer.error_code, code_of(error_code::invalid_request));
  refused({[](auto& r) { r.subscribed_topic_names->emplace_back(std::string(limits::topic_name_max + 1, 't')); }});
  EXPECT_EQ(answer.error_code, code_of(error_code::invalid_request));
}

TEST_F(consumer_checks_test, an_unknown_group_is_made_by_a_join_alone) {
  EXPECT_EQ(send(beats("a", 1)), code_of(error_code::group_id_not_found));
  EXPECT_EQ(answer.error_message, text("Consumer group g not found."));
  EXPECT_EQ(send(beats("a", -1)), code_of(error_code::group_id_not_found));
  EXPECT_EQ(answer.error_message, text("Group g not found."));
  EXPECT_EQ(send(beats("a", -2)), code_of(error_code::invalid_request)) << "without an instance id";
  EXPECT_EQ(send(beats("a", -3)), code_of(error_code::invalid_request));
  EXPECT_EQ(group.kind, group_kind::none);
}

TEST_F(consumer_checks_test, version_0_may_leave_the_id_to_the_server) {
  EXPECT_EQ(send(joins("")), code_of(error_code::invalid_request));
  version = 0;
  EXPECT_EQ(send(joins("")), 0);
  EXPECT_EQ(answer.member_id, text("made"));
  EXPECT_EQ(member("made").epoch, 2);
  EXPECT_EQ(send(beats("", 2)), code_of(error_code::invalid_request));
}

TEST_F(consumer_checks_test, an_instance_id_has_one_member) {
  EXPECT_EQ(join_as("a", "i"), 0);
  EXPECT_EQ(join_as("b", "i"), code_of(error_code::unreleased_instance_id));
  EXPECT_EQ(beat_as("b", "i", 2), code_of(error_code::fenced_instance_id));
  EXPECT_EQ(beat_as("b", "i", -1), code_of(error_code::fenced_instance_id));
  EXPECT_EQ(beat_as("a", "j", 2), code_of(error_code::unknown_member_id));
  EXPECT_EQ(beat_as("a", "j", -2), code_of(error_code::unknown_member_id));
  EXPECT_EQ(beat_as("a", "i", 2), 0);
  EXPECT_EQ(send(beats("a", 2)), 0);
}

TEST_F(consumer_checks_test, a_static_member_that_comes_back_goes_on_where_it_was) {
  join_as("a", "i");
  send(joins("x"));
  EXPECT_EQ(beat_as("a", "i", -2), 0);
  EXPECT_EQ(answer.member_epoch, -2);
  EXPECT_EQ(state(), "Reconciling");
  EXPECT_EQ(beat_as("a", "i", 2), code_of(error_code::fenced_member_epoch));
  const auto before = epoch();
  EXPECT_EQ(join_as("b", "i"), 0);
  EXPECT_EQ(epoch(), before) << "no rebalance";
  EXPECT_EQ(answer.member_epoch, before);
  EXPECT_EQ(told().at("t").size(), 2U);
  EXPECT_FALSE(group.soft.consumer.members.contains("a"));
  EXPECT_EQ(beat_as("a", "i", before), code_of(error_code::fenced_instance_id));
}

TEST_F(consumer_checks_test, who_is_away_gives_up_what_it_was_to_give_up) {
  join_as("a", "i");
  send(joins("x"));
  beat_as("a", "i", 2);
  EXPECT_EQ(told().at("t").size(), 2U);
  beat_as("a", "i", -2);
  EXPECT_EQ(beat("x", 3), 3);
  EXPECT_EQ(told().at("t").size(), 2U);
}

TEST_F(consumer_checks_test, with_other_wishes_it_comes_back_to_a_rebalance) {
  join_as("a", "i");
  beat_as("a", "i", -2);
  EXPECT_EQ(join_as("b", "i", "u"), 0);
  EXPECT_EQ(answer.member_epoch, 3);
  EXPECT_EQ(told(), (parts{{"u", {0, 1}}}));
}

TEST_F(consumer_checks_test, who_stays_away_too_long_is_out) {
  join_as("a", "i");
  now += 30'000;
  beat_as("a", "i", -2);
  pass(44'999);
  EXPECT_EQ(join_as("b", "i"), 0);
  beat_as("b", "i", -2);
  pass(45'000);
  EXPECT_EQ(state(), "Empty");
  EXPECT_TRUE(group.soft.consumer.instances.empty());
}

TEST_F(consumer_checks_test, a_member_can_take_the_place_of_another_that_is_away) {
  join_as("a", "i");
  send(joins("b"));
  beat_as("a", "i", -2);
  EXPECT_EQ(join_as("b", "i"), 0);
  EXPECT_EQ(group.soft.consumer.members.size(), 1U);
  EXPECT_EQ(group.soft.consumer.instances.at("i"), "b");
}

}  // namespace
}  // namespace weir::group
