// EX-13 of spec 01: the checks of 1.4 and 1.5 that need no group, each alone and in order.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

using request_type = protocol::streams_group_heartbeat_request;

struct bad_request {
  const char* label;
  int code;
  int epoch;
  std::function<void(request_type&)> spoil;
};

void PrintTo(const bad_request& r, std::ostream* out) { *out << r.label; }

class checks : public ::testing::TestWithParam<bad_request> {};

TEST_P(checks, refused) {
  scenario s;
  auto request = s.request("A", GetParam().epoch, {});
  ASSERT_FALSE(check_request(request, true)) << "valid before it is spoiled";
  GetParam().spoil(request);
  const auto verdict = check_request(request, true);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(protocol::code_of(verdict->code), GetParam().code);
  EXPECT_FALSE(verdict->message.empty());
}

request_type::subtopology_data& first(request_type& r) { return r.topology->subtopologies.front(); }

INSTANTIATE_TEST_SUITE_P(
    ex_13, checks,
    ::testing::Values(
        bad_request{"F3", 130, 0, [](auto& r) { first(r).source_topics[0] = "__share_group_state"; }},
        bad_request{"F4", 130, 0, [](auto& r) { first(r).repartition_sink_topics.emplace_back("no/slash"); }},
        bad_request{"F3_before_V2", 130, 0,
                    [](auto& r) {
                      first(r).source_topics[0] = "__consumer_offsets";
                      r.member_id = "";
                    }},
        bad_request{"V1", 42, 0, [](auto& r) { first(r).source_topic_regex.emplace_back("a.*"); }},
        bad_request{"V1_before_V2", 42, 0,
                    [](auto& r) {
                      first(r).source_topic_regex.emplace_back("a.*");
                      r.member_id = "";
                    }},
        bad_request{"V2", 42, 5, [](auto& r) { r.member_id = " \t"; }},
        bad_request{"V2_control", 42, 5, [](auto& r) { r.member_id = text(std::string_view("\0\x01\x1F", 3)); }},
        bad_request{"V3", 42, 5, [](auto& r) { r.group_id = ""; }},
        bad_request{"V4", 42, 5, [](auto& r) { r.instance_id = " "; }},
        bad_request{"V5", 42, -1, [](auto& r) { r.rack_id = ""; }},
        bad_request{"V6", 42, 0, [](auto& r) { r.rebalance_timeout_ms = -1; }},
        bad_request{"V7_null", 42, 0, [](auto& r) { r.active_tasks.reset(); }},
        bad_request{"V7_not_empty", 42, 0, [](auto& r) { r.active_tasks->emplace_back(); }},
        bad_request{"V8", 42, 0, [](auto& r) { r.standby_tasks.reset(); }},
        bad_request{"V9", 42, 0, [](auto& r) { r.warmup_tasks->emplace_back(); }},
        bad_request{"V10", 42, 0, [](auto& r) { r.topology.reset(); }},
        bad_request{"V11", 130, 0,
                    [](auto& r) {
                      auto& changelog = first(r).state_changelog_topics.emplace_back();
                      changelog.name = "cl";
                      changelog.partitions = 3;
                    }},
        bad_request{"V12", 42, -1, [](auto& r) { r.member_epoch = -2; }},
        bad_request{"V13", 42, -1, [](auto& r) { r.member_epoch = -3; }},
        bad_request{"V14", 42, 5, [](auto& r) { r.active_tasks.emplace(); }},
        bad_request{"V15", 42, 5, [](auto& r) { r.topology.emplace(); }}),
    [](const auto& tested) { return std::string(tested.param.label); });

using reported_tasks = std::vector<request_type::task_offset_data>;

reported_tasks reports_of(std::size_t tasks, const std::string& subtopology) {
  reported_tasks made(tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    made[i].subtopology_id = text(subtopology);
    made[i].partition = static_cast<std::int32_t>(i);
  }
  return made;
}

TEST(task_reports, have_limits_that_kafka_does_not_have) {
  scenario s;
  for (const auto list : {&request_type::task_offsets, &request_type::task_end_offsets}) {
    auto request = s.request("A", 5, {});
    request.*list = reports_of(limits::reported_tasks_max, "0");
    EXPECT_FALSE(check_request(request, true));
    request.*list = reports_of(limits::reported_tasks_max + 1, "0");
    const auto too_many = check_request(request, true);
    ASSERT_TRUE(too_many);
    EXPECT_EQ(too_many->code, protocol::error_code::invalid_request);
    EXPECT_NE(too_many->message.find("20001 entries"), std::string::npos) << too_many->message;
    request.*list = reports_of(20, std::string(limits::reported_id_bytes_max / 16, 'x'));
    const auto too_long = check_request(request, false);
    ASSERT_TRUE(too_long);
    EXPECT_NE(too_long->message.find("bytes"), std::string::npos) << too_long->message;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i <= limits::subtopologies_max; ++i) ids.push_back(std::to_string(i));
    request.*list = reports_of(ids.size(), "0");
    for (std::size_t i = 0; i < ids.size(); ++i) (request.*list)->at(i).subtopology_id = text::view(ids[i]);
    const auto too_wide = check_request(request, false);
    ASSERT_TRUE(too_wide);
    EXPECT_NE(too_wide->message.find("1000"), std::string::npos) << too_wide->message;
    (request.*list)->pop_back();
    EXPECT_FALSE(check_request(request, false));
  }
}

TEST(refused_answer, has_the_defaults_of_1_6) {
  const auto answer = refused(protocol::error_code::fenced_member_epoch, "why");
  EXPECT_EQ(answer.error_code, 110);
  EXPECT_EQ(answer.error_message.value(), "why");
  ASSERT_TRUE(answer.status);
  EXPECT_TRUE(answer.status->empty());
  EXPECT_EQ(answer.member_id, "");
  EXPECT_EQ(answer.acceptable_recovery_lag, -1);
  EXPECT_FALSE(answer.active_tasks);
  EXPECT_FALSE(answer.partitions_by_user_endpoint);
  EXPECT_EQ(refused(protocol::error_code::unknown_server_error, "why").error_message.value(), "why");
  EXPECT_FALSE(refused(protocol::error_code::unknown_server_error, "").error_message);
}

}  // namespace
}  // namespace weir::group
