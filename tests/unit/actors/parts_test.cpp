// The small parts: held answers, wake-ups, stored settings.
#include <gtest/gtest.h>

#include "actors/config_store.hpp"
#include "actors/held_answers.hpp"
#include "actors/wake_up.hpp"
#include "storage/memory_log.hpp"

namespace weir::actors {
namespace {

using protocol::error_code;

struct held_answers_test : ::testing::Test {
  coordinator_counters counters;
  std::vector<std::string> seen;

  void hold(held_answers& held, std::uint64_t append, std::int64_t deadline_ms, const std::string& name) {
    auto request = std::make_shared<pending_reply<std::string>>(
        [this](const std::string& answer) { seen.push_back(answer); },
        [name](error_code code) { return name + " " + std::string(protocol::name(code)); });
    held.hold(append, deadline_ms, request, [request, name] { request->answer(name); });
  }
};

TEST_F(held_answers_test, released_in_order_up_to_the_durable_append) {
  held_answers held(counters);
  hold(held, 1, 100, "a");
  hold(held, 1, 100, "b");
  hold(held, 2, 110, "c");
  held.release(1);
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(held.next_deadline(), 110);
  held.release(5);
  EXPECT_TRUE(held.empty());
}

TEST_F(held_answers_test, expired_ones_are_refused_as_not_available) {
  held_answers held(counters);
  hold(held, 1, 100, "a");
  hold(held, 2, 110, "b");
  held.expire(100);
  EXPECT_EQ(seen, std::vector<std::string>{"a COORDINATOR_NOT_AVAILABLE"});
  EXPECT_EQ(counters.answers_timed_out, 1U);
}

TEST_F(held_answers_test, the_end_refuses_the_rest) {
  {
    held_answers held(counters);
    hold(held, 1, 100, "a");
  }
  EXPECT_EQ(seen, std::vector<std::string>{"a NOT_COORDINATOR"});
  EXPECT_EQ(counters.held_now, 0U);
}

TEST(wake_up, only_an_earlier_time_arms_again_and_makes_the_former_token_stale) {
  wake_up w;
  const auto first = w.arm(100);
  ASSERT_TRUE(first);
  EXPECT_FALSE(w.arm(100));
  EXPECT_FALSE(w.arm(200));
  const auto earlier = w.arm(50);
  ASSERT_TRUE(earlier);
  EXPECT_FALSE(w.fired(*first));
  EXPECT_TRUE(w.fired(*earlier));
  EXPECT_FALSE(w.fired(*earlier));
  EXPECT_TRUE(w.arm(300));
}

TEST(config_store, settings_round_trip_through_the_log) {
  const group::overrides set = {{"streams.num.standby.replicas", "1"}, {"streams.session.timeout.ms", "50000"}};
  storage::memory_log log;
  storage::append_request request;
  request.writes = {config_store::to_write("g", {set, {{"p1", {"A", "B"}}, {"", {"C"}}}}),
                    config_store::to_write("only-drained", {{}, {{"p2", {"A"}}}})};
  request.done = [](const result<void>&) {};
  log.append(std::move(request));
  config_store store;
  ASSERT_TRUE(store.load(log));
  EXPECT_EQ(store.get("g").overrides, set);
  EXPECT_EQ(store.get("g").drained, (group::drain_marks{{"p1", {"A", "B"}}, {"", {"C"}}}));
  EXPECT_EQ(store.get("only-drained").drained.size(), 1U);
  EXPECT_EQ(store.group_ids(), std::vector<std::string>{"g"}) << "who has overrides";
  EXPECT_TRUE(store.get("other").empty());
  EXPECT_FALSE(config_store::to_write("g", {}).value);
}

TEST(config_store, damaged_entries_are_not_read) {
  const auto data = encode_settings({{{"a", "b"}}, {{"p", {"A"}}}});
  EXPECT_TRUE(decode_settings(data));
  for (std::size_t size = 0; size < data.size(); ++size) EXPECT_FALSE(decode_settings(data.substr(0, size)));
  EXPECT_FALSE(decode_settings(data + "x"));
}

}  // namespace
}  // namespace weir::actors
