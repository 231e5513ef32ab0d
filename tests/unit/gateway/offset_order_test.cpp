#include "gateway/offset_order.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace weir::gateway {
namespace {

class offset_order_test : public ::testing::Test {
 protected:
  void fetch(const std::string& group) {
    order.when_settled(group, [this, group] { fetched += group; });
  }
  std::unique_ptr<open_commit> commit(const std::string& group) {
    return std::make_unique<open_commit>(order, time, group);
  }

  manual_clock time;
  offset_order order;
  std::string fetched;
};

TEST_F(offset_order_test, spec_05_8_5_a_fetch_without_open_commits_goes_at_once) {
  fetch("a");
  EXPECT_EQ(fetched, "a");
}

TEST_F(offset_order_test, spec_05_8_5_a_fetch_waits_for_every_commit_of_its_own_group) {
  const auto first = commit("a");
  const auto second = commit("a");
  const auto foreign = commit("b");
  fetch("a");
  first->settle();
  EXPECT_EQ(fetched, "");
  second->settle();
  EXPECT_EQ(fetched, "a");
}

TEST_F(offset_order_test, a_commit_dropped_with_its_connection_counts_as_settled_when_it_can_no_longer_arrive) {
  commit("a").reset();
  fetch("a");
  time.advance(offset_order::settle_ms - 1);
  order.expire(time.now_ms());
  EXPECT_EQ(fetched, "");
  time.advance(1);
  order.expire(time.now_ms());
  EXPECT_EQ(fetched, "a");
}

TEST_F(offset_order_test, a_lost_commit_does_not_settle_one_that_is_still_open) {
  const auto open = commit("a");
  commit("a").reset();
  fetch("a");
  time.advance(offset_order::settle_ms);
  order.expire(time.now_ms());
  EXPECT_EQ(fetched, "");
  open->settle();
  EXPECT_EQ(fetched, "a");
}

TEST_F(offset_order_test, spec_05_8_5_a_fetch_does_not_wait_for_later_commits) {
  const auto earlier = commit("a");
  fetch("a");
  const auto later = commit("a");
  fetch("a");
  earlier->settle();
  EXPECT_EQ(fetched, "a") << "a group that commits all the time must still be read";
  later->settle();
  EXPECT_EQ(fetched, "aa");
}

TEST_F(offset_order_test, commits_settle_in_any_order) {
  const auto first = commit("a");
  const auto second = commit("a");
  fetch("a");
  second->settle();
  EXPECT_EQ(fetched, "");
  first->settle();
  EXPECT_EQ(fetched, "a");
}

}  // namespace
}  // namespace weir::gateway
