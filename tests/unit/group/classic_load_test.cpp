// Classic groups that are large, and members that are late with SyncGroup.
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "tests/unit/group/classic_fixture.hpp"

namespace weir::group {
namespace {

TEST_F(classic_test, a_request_that_is_refused_or_waits_copies_no_group) {
  members_max = 1'000;
  join("m0");
  sync("m0", 1);
  copies = 0;
  EXPECT_EQ(join(asks("stranger")), code_of(error_code::unknown_member_id));
  for (int i = 1; i <= 100; ++i) join(asks(""), "m" + std::to_string(i));
  EXPECT_EQ(group.soft.classic.promised.size(), 100U);
  EXPECT_EQ(leave("m100"), 0) << "only promised";
  EXPECT_EQ(copies, 0);
  for (int i = 1; i < 100; ++i) EXPECT_EQ(join(asks("m" + std::to_string(i))), 0);
  EXPECT_EQ(join(asks("m1")), 0) << "asked again";
  EXPECT_EQ(leave("m99"), 0);
  EXPECT_EQ(joined["m99"].error_code, code_of(error_code::unknown_member_id));
  EXPECT_EQ(copies, 1) << "when the rebalance began";
  EXPECT_TRUE(group.soft.classic.promised.empty());
  EXPECT_EQ(join(asks("m0")), 0);
  EXPECT_EQ(copies, 2) << "and when everybody had joined";
  ASSERT_EQ(joined["m0"].members.size(), 99U);
  for (int i = 1; i < 99; ++i) EXPECT_EQ(sync("m" + std::to_string(i), 2), 0);
  EXPECT_EQ(copies, 2);
  EXPECT_EQ(sync("m0", 2, {{"m98", "last"}}), 0);
  EXPECT_EQ(copies, 3);
  EXPECT_EQ(synced["m98"].assignment, "last");
}

TEST_F(classic_test, the_last_one_who_is_waited_for_may_also_leave) {
  join("m1");
  join("m2");
  EXPECT_EQ(state(), "PreparingRebalance");
  EXPECT_EQ(leave("m1"), 0);
  EXPECT_EQ(joined["m2"].generation_id, 2);
}

TEST_F(classic_test, protocols_that_are_too_large_or_too_many_are_refused) {
  const std::string large(limits::classic_protocol_bytes_max - 5, 'x');
  auto request = asks("");
  request.protocols.back().metadata = text(large);
  EXPECT_EQ(join(request, "m1"), code_of(error_code::member_id_required)) << "and the name: as much as may be";
  request.protocols.emplace_back();
  request.protocols.back().name = "y";
  EXPECT_EQ(join(request, "m2"), code_of(error_code::message_too_large));
  request = asks("");
  request.protocols.resize(limits::classic_protocols_max + 1);
  EXPECT_EQ(join(request, "m2"), code_of(error_code::message_too_large));
  EXPECT_EQ(group.soft.classic.promised.size(), 1U);
}

TEST_F(classic_test, a_protocol_named_twice_counts_once) {
  auto request = asks("");
  request.protocols.push_back(request.protocols.back());
  join(request, "m1", 3);
  EXPECT_EQ(join(asks("", "other"), "m2", 3), code_of(error_code::inconsistent_group_protocol));
  EXPECT_EQ(join("m2"), 0);
  EXPECT_EQ(join(asks("m1")), 0);
  EXPECT_EQ(joined["m1"].protocol_name, "range");
}

TEST_F(classic_test, who_sends_no_sync_group_within_the_rebalance_timeout_is_out_and_the_others_rebalance) {
  auto patient = asks("");
  patient.rebalance_timeout_ms = 30'000;
  join(patient, "m1", 3);
  join("m2");
  patient.member_id = "m1";
  join(patient);
  ASSERT_EQ(joined["m2"].generation_id, 2);
  EXPECT_EQ(sync("m1", 2, {{"m1", "a"}, {"m2", "b"}}), 0);
  beat_for(29'000, {"m1", "m2"}, 2);
  EXPECT_EQ(state(), "Stable") << "the longest rebalance timeout of all members counts";
  pass(1'000);
  EXPECT_EQ(state(), "PreparingRebalance");
  EXPECT_EQ(beat("m2", 2), code_of(error_code::unknown_member_id)) << "although it is heard of";
  EXPECT_EQ(beat("m1", 2), code_of(error_code::rebalance_in_progress));
}

TEST_F(classic_test, a_leader_that_sends_no_sync_group_keeps_nobody_waiting_for_longer_than_that) {
  join("m1");
  join("m2");
  join(asks("m1"));
  EXPECT_EQ(sync("m2", 2), 0);
  beat_for(19'000, {"m1"}, 2);
  EXPECT_FALSE(synced.contains("m2"));
  pass(1'000);
  EXPECT_EQ(synced["m2"].error_code, code_of(error_code::rebalance_in_progress));
  EXPECT_EQ(beat("m1", 2), code_of(error_code::unknown_member_id));
  EXPECT_EQ(join(asks("m2")), 0);
  EXPECT_EQ(joined["m2"].generation_id, 3);
  EXPECT_EQ(joined["m2"].leader, "m2");
}

TEST_F(classic_test, a_sync_group_after_the_leaders_is_in_time_too) {
  join("m1");
  join("m2");
  join(asks("m1"));
  sync("m1", 2, {{"m2", "b"}});
  EXPECT_EQ(sync("m2", 2), 0);
  EXPECT_EQ(synced["m2"].assignment, "b");
  beat_for(40'000, {"m1", "m2"}, 2);
  EXPECT_EQ(state(), "Stable");
}

}  // namespace
}  // namespace weir::group
