// The simulated member behaves like the shipped client: spec 01, appendix C.
#include "cli/sim_member.hpp"

#include <gmock/gmock.h>

#include "protocol/error_codes.hpp"

namespace weir::cli {
namespace {

using protocol::streams_group_heartbeat_response;
using ::testing::HasSubstr;

class sim_member_test : public ::testing::Test {
 protected:
  static streams_group_heartbeat_response answer(std::int32_t epoch) {
    streams_group_heartbeat_response out;
    out.member_epoch = epoch;
    out.heartbeat_interval_ms = 5'000;
    return out;
  }
  static streams_group_heartbeat_response with_tasks(std::int32_t epoch, std::vector<std::int32_t> active) {
    auto out = answer(epoch);
    out.active_tasks.emplace().emplace_back().subtopology_id = "0";
    out.active_tasks->front().partitions = std::move(active);
    out.standby_tasks.emplace();
    out.warmup_tasks.emplace();
    return out;
  }
  static streams_group_heartbeat_response with_status(std::int32_t epoch, std::int8_t code) {
    auto out = answer(epoch);
    out.status->emplace_back().status_code = code;
    out.status->back().status_detail = "because";
    return out;
  }
  static streams_group_heartbeat_response refused(protocol::error_code code) {
    streams_group_heartbeat_response out;
    out.error_code = protocol::code_of(code);
    return out;
  }

  sim_topology topology_ = word_count("app");
  sim_member member_{{"app", "m1", "p1"}, topology_};
};

TEST_F(sim_member_test, a_join_carries_everything_and_three_empty_lists) {
  const auto request = member_.next_request();
  EXPECT_EQ(request.member_epoch, 0);
  EXPECT_EQ(request.endpoint_information_epoch, -1);
  EXPECT_GT(request.rebalance_timeout_ms, 0);
  ASSERT_TRUE(request.topology);
  EXPECT_EQ(request.topology->epoch, 0);
  EXPECT_EQ(request.topology->subtopologies.size(), 2U);
  ASSERT_TRUE(request.active_tasks && request.standby_tasks && request.warmup_tasks);
  EXPECT_TRUE(request.active_tasks->empty());
  EXPECT_TRUE(request.client_tags);
}

TEST_F(sim_member_test, a_new_assignment_is_acknowledged_at_once_and_only_once) {
  (void)member_.next_request();
  EXPECT_EQ(member_.on_answer(with_tasks(2, {0, 1})), next_step::now);
  const auto acknowledgement = member_.next_request();
  EXPECT_EQ(acknowledgement.member_epoch, 2);
  EXPECT_FALSE(acknowledgement.topology);
  EXPECT_EQ(acknowledgement.active_tasks->front().partitions, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(member_.on_answer(answer(2)), next_step::wait);
  EXPECT_FALSE(member_.next_request().active_tasks);
  EXPECT_EQ(to_string(member_.owned().active), "0_0 0_1");
}

TEST_F(sim_member_test, a_status_that_means_not_ready_is_acknowledged) {
  (void)member_.next_request();
  EXPECT_EQ(member_.on_answer(with_status(2, 5)), next_step::now);
  EXPECT_TRUE(member_.next_request().active_tasks);
  EXPECT_EQ(member_.on_answer(with_status(2, 5)), next_step::wait);
  EXPECT_EQ(member_.state(), "waiting for more members");
  EXPECT_EQ(member_.on_answer(answer(2)), next_step::now);
  EXPECT_EQ(member_.state(), "running");
}

TEST_F(sim_member_test, after_a_failure_everything_is_reported_again_with_the_same_epoch) {
  (void)member_.next_request();
  (void)member_.on_answer(answer(2));
  EXPECT_FALSE(member_.next_request().active_tasks);
  EXPECT_EQ(member_.on_failure(), next_step::back_off);
  const auto again = member_.next_request();
  EXPECT_EQ(again.member_epoch, 2);
  EXPECT_TRUE(again.active_tasks);
}

TEST_F(sim_member_test, a_fenced_or_unknown_member_drops_its_tasks_and_joins_again) {
  for (const auto code : {protocol::error_code::fenced_member_epoch, protocol::error_code::unknown_member_id}) {
    (void)member_.next_request();
    (void)member_.on_answer(with_tasks(7, {0}));
    EXPECT_EQ(member_.on_answer(refused(code)), next_step::now);
    EXPECT_EQ(member_.owned(), sim_assignment());
    EXPECT_EQ(member_.next_request().member_epoch, 0);
  }
}

TEST_F(sim_member_test, errors_of_the_coordinator_are_retried_the_way_the_client_does) {
  EXPECT_EQ(member_.on_answer(refused(protocol::error_code::not_coordinator)), next_step::find_coordinator);
  EXPECT_EQ(member_.on_answer(refused(protocol::error_code::coordinator_not_available)), next_step::find_coordinator);
  EXPECT_EQ(member_.on_answer(refused(protocol::error_code::coordinator_load_in_progress)), next_step::back_off);
}

TEST_F(sim_member_test, any_other_error_ends_the_thread_and_is_named) {
  EXPECT_EQ(member_.on_answer(refused(protocol::error_code::invalid_request)), next_step::stop);
  EXPECT_THAT(member_.why(), HasSubstr("INVALID_REQUEST (42)"));
}

TEST_F(sim_member_test, statuses_2_and_4_end_the_thread) {
  sim_member other({"app", "m2", "p1"}, topology_);
  EXPECT_EQ(member_.on_answer(with_status(2, 2)), next_step::stop);
  EXPECT_EQ(other.on_answer(with_status(2, 4)), next_step::stop);
  EXPECT_EQ(other.why(), "because");
}

TEST_F(sim_member_test, missing_source_topics_are_waited_for_two_intervals) {
  for (int i = 0; i < 3; ++i) EXPECT_NE(member_.on_answer(with_status(2, 1)), next_step::stop);
  EXPECT_EQ(member_.on_answer(with_status(2, 1)), next_step::stop);
}

TEST_F(sim_member_test, leaving_is_epoch_minus_one) { EXPECT_EQ(member_.leave_request().member_epoch, -1); }

}  // namespace
}  // namespace weir::cli
