// The epoch table of spec 01, 2.3: stored epoch 10, previous epoch 8.
#include "group/heartbeat/fence.hpp"

#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

class epoch_table : public ::testing::Test {
 protected:
  epoch_table() {
    current_.member_epoch = 10;
    current_.previous_member_epoch = 8;
    current_.state = member_state::unrevoked_tasks;
    current_.assigned = {.active = tasks_at("0:1,2", 5), .standby = tasks("0:7"), .warmup = tasks("0:8")};
    current_.pending_revocation.active = tasks_at("0:3", 5);
  }

  [[nodiscard]] bool accepts(std::int32_t received, const std::optional<role_tasks>& owned = {}) const {
    std::optional<owned_report> report;
    if (owned) report = owned_report{.tasks = *owned};
    return !check_epoch(current_, received, report);
  }

  current_assignment current_;
};

TEST_F(epoch_table, equal_is_accepted) { EXPECT_TRUE(accepts(10)); }
TEST_F(epoch_table, greater_is_fenced) { EXPECT_FALSE(accepts(11)); }
TEST_F(epoch_table, older_than_previous_is_fenced) { EXPECT_FALSE(accepts(7, role_tasks())); }
TEST_F(epoch_table, between_previous_and_stored_is_fenced) { EXPECT_FALSE(accepts(9, role_tasks())); }
TEST_F(epoch_table, previous_without_lists_is_fenced) { EXPECT_FALSE(accepts(8)); }
TEST_F(epoch_table, previous_with_empty_lists_is_accepted) { EXPECT_TRUE(accepts(8, role_tasks())); }
TEST_F(epoch_table, previous_with_a_subset_of_every_role_is_accepted) {
  EXPECT_TRUE(accepts(8, role_tasks{.active = tasks("0:1"), .standby = tasks("0:7"), .warmup = tasks("0:8")}));
}
TEST_F(epoch_table, pending_revocation_does_not_count_as_assigned) {
  EXPECT_FALSE(accepts(8, role_tasks{.active = tasks("0:1,3"), .standby = {}, .warmup = {}}));
}
TEST_F(epoch_table, roles_are_compared_one_by_one) {
  EXPECT_FALSE(accepts(8, role_tasks{.active = {}, .standby = tasks("0:1"), .warmup = {}}));
  EXPECT_FALSE(accepts(8, role_tasks{.active = {}, .standby = {}, .warmup = tasks("0:7")}));
}
TEST_F(epoch_table, nothing_positive_is_accepted_in_a_temporary_leave) {
  current_.member_epoch = -2;
  EXPECT_FALSE(accepts(8, role_tasks()));
  EXPECT_FALSE(accepts(1));
}

}  // namespace
}  // namespace weir::group
