// Consumer groups in a whole node: what is durable before an answer, what a failed write, a restart and time leave.
#include "world.hpp"

namespace weir::actors {
namespace {

using protocol::code_of;
using protocol::error_code;
using consumer_answer = protocol::consumer_group_heartbeat_response;

class consumer_group_test : public ::testing::Test {
 protected:
  void send(const std::string& member_id, std::int32_t epoch, std::optional<consumer_answer>& answer) {
    auto request = std::make_shared<protocol::consumer_group_heartbeat_request>();
    request->group_id = "g";
    request->member_id = text(member_id);
    request->member_epoch = epoch;
    if (epoch == 0) {
      request->rebalance_timeout_ms = 30'000;
      request->topic_partitions.emplace();
      request->subscribed_topic_names.emplace();
      request->subscribed_topic_names->emplace_back("foo");
    }
    w.coordinator->heartbeat_consumer(std::move(request), {.version = 1, .client_id = "c", .client_host = "/h",
                                                           .new_member_id = ""},
                                      [&](auto told) { answer = std::move(told); });
    w.run();
  }
  /// The member's epoch, or the error code below zero.
  std::int32_t beat(const std::string& member_id, std::int32_t epoch) {
    std::optional<consumer_answer> answer;
    send(member_id, epoch, answer);
    EXPECT_TRUE(answer) << "no answer for " << member_id;
    if (!answer) return 0;
    return answer->error_code == 0 ? answer->member_epoch : -1'000 - answer->error_code;
  }
  [[nodiscard]] std::string state() {
    using described = protocol::consumer_group_describe_response::described_group_data;
    const auto told = w.ask<described>([&](auto done) { w.coordinator->describe_consumers("g", done); });
    return told.error_code == 0 ? told.group_state.str() : std::to_string(told.error_code);
  }
  static std::int32_t refused(error_code code) { return -1'000 - code_of(code); }

  world w;
};

TEST_F(consumer_group_test, an_answer_waits_until_the_epoch_is_durable) {
  w.log.hold();
  std::optional<consumer_answer> answer;
  send("a", 0, answer);
  EXPECT_FALSE(answer);
  std::optional<consumer_answer> steady;
  send("a", 2, steady);
  EXPECT_FALSE(steady) << "knows an epoch that may be lost";
  w.log.resume();
  w.run();
  ASSERT_TRUE(answer && steady);
  EXPECT_EQ(answer->member_epoch, 2);
  EXPECT_EQ(steady->member_epoch, 2);
  EXPECT_EQ(w.coordinator->kind_of("g"), group::group_kind::consumer);
}

TEST_F(consumer_group_test, a_restart_keeps_the_epoch_and_the_members_join_again) {
  EXPECT_EQ(beat("a", 0), 2);
  EXPECT_EQ(beat("b", 0), 2) << "the next assignment is a second away";
  w.stop();
  w.start();
  EXPECT_EQ(w.coordinator->kind_of("g"), group::group_kind::consumer);
  EXPECT_EQ(state(), "Empty");
  EXPECT_EQ(beat("a", 2), refused(error_code::unknown_member_id));
  EXPECT_EQ(beat("a", 0), 4);
}

TEST_F(consumer_group_test, a_write_that_fails_makes_everybody_join_again) {
  EXPECT_EQ(beat("a", 0), 2);
  w.log.fail_next(1, "disk full");
  EXPECT_EQ(beat("b", 0), refused(error_code::coordinator_not_available));
  w.pass(1'000);
  EXPECT_EQ(beat("a", 2), refused(error_code::unknown_member_id)) << "as after a restart";
  EXPECT_EQ(beat("a", 0), 3);
}

TEST_F(consumer_group_test, the_first_write_that_fails_leaves_nothing) {
  w.log.fail_next(1, "disk full");
  EXPECT_EQ(beat("a", 0), refused(error_code::coordinator_not_available));
  w.pass(1'000);
  EXPECT_EQ(w.coordinator->kind_of("g"), group::group_kind::none);
  EXPECT_EQ(beat("a", 0), 2);
}

TEST_F(consumer_group_test, who_is_silent_is_out_by_itself) {
  EXPECT_EQ(beat("a", 0), 2);
  w.pass(44'000);
  EXPECT_EQ(state(), "Stable");
  EXPECT_EQ(beat("a", 2), 2);
  w.pass(44'000);
  EXPECT_EQ(state(), "Stable");
  w.pass(2'000);
  EXPECT_EQ(state(), "Empty");
  w.stop();
  w.start();
  EXPECT_EQ(beat("a", 0), 4) << "its end has taken an epoch";
}

TEST_F(consumer_group_test, a_topic_that_grows_is_seen_by_the_next_heartbeat) {
  EXPECT_EQ(beat("a", 0), 2);
  w.pass(1'000);
  w.publish(image_with(w.image(), "foo", 6));
  std::optional<consumer_answer> answer;
  send("a", 2, answer);
  ASSERT_TRUE(answer && answer->assignment);
  EXPECT_EQ(answer->member_epoch, 3);
  EXPECT_EQ(answer->assignment->topic_partitions.at(0).partitions.size(), 6U);
}

TEST_F(consumer_group_test, an_empty_group_is_deleted_for_good) {
  EXPECT_EQ(beat("a", 0), 2);
  const auto remove = [&] {
    return w.ask<error_code>([&](auto done) { w.coordinator->delete_group("g", done); });
  };
  EXPECT_EQ(remove(), error_code::non_empty_group);
  EXPECT_EQ(beat("a", -1), -1);
  EXPECT_EQ(remove(), error_code::none);
  EXPECT_EQ(state(), "69");
  w.stop();
  w.start();
  EXPECT_EQ(w.coordinator->kind_of("g"), group::group_kind::none);
}

TEST_F(consumer_group_test, a_streams_member_is_told_that_it_is_no_streams_group) {
  EXPECT_EQ(beat("a", 0), 2);
  EXPECT_EQ(w.beat("m", 0).error_code, code_of(error_code::group_id_not_found));
  EXPECT_EQ(beat("a", -1), -1);
  EXPECT_EQ(w.beat("m", 0).error_code, code_of(error_code::group_id_not_found)) << "also when it is empty";
}

}  // namespace
}  // namespace weir::actors
