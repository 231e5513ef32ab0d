// Classic members: spec 05, 4.7 and spec 04, 12.
#include "group/classic/classic_group.hpp"

#include <gtest/gtest.h>

#include "group/invariants.hpp"
#include "group/offsets/commit.hpp"
#include "tests/unit/group/classic_fixture.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

TEST_F(classic_test, a_client_without_an_id_is_given_one_and_joins_with_it) {
  EXPECT_EQ(join(asks(""), "m1"), code_of(error_code::member_id_required));
  EXPECT_EQ(group.kind, group_kind::simple);
  EXPECT_EQ(state(), "Empty");
  EXPECT_EQ(join(asks("m1")), 0);
  EXPECT_EQ(joined["m1"].generation_id, 1);
  EXPECT_EQ(joined["m1"].leader, "m1");
  EXPECT_EQ(joined["m1"].protocol_name, "range");
  ASSERT_EQ(joined["m1"].members.size(), 1U);
  EXPECT_EQ(joined["m1"].members[0].metadata, "topics");
  EXPECT_EQ(state(), "CompletingRebalance");
  EXPECT_EQ(beat("m1", 1), 0);
  EXPECT_EQ(sync("m1", 1, {{"m1", "mine"}}), 0);
  EXPECT_EQ(synced["m1"].assignment, "mine");
  EXPECT_EQ(state(), "Stable");
}

TEST_F(classic_test, an_id_that_nobody_gave_is_unknown) {
  EXPECT_EQ(join(asks("stranger")), code_of(error_code::unknown_member_id));
  EXPECT_EQ(group.kind, group_kind::none);
  join("m1");
  EXPECT_EQ(join(asks("stranger")), code_of(error_code::unknown_member_id));
}

TEST_F(classic_test, requests_that_make_no_sense_are_refused_and_change_nothing) {
  auto request = asks("");
  request.session_timeout_ms = 1;
  EXPECT_EQ(join(request), code_of(error_code::invalid_session_timeout));
  request = asks("");
  request.protocols.clear();
  EXPECT_EQ(join(request), code_of(error_code::inconsistent_group_protocol));
  request = asks("");
  request.protocol_type = text();
  EXPECT_EQ(join(request), code_of(error_code::inconsistent_group_protocol));
  request.session_timeout_ms = 1;
  EXPECT_EQ(join(request), code_of(error_code::invalid_session_timeout)) << "before anything else";
  EXPECT_EQ(group.kind, group_kind::none);
  for (const auto* api : {"sync", "beat", "leave"}) {
    const int code = api[0] == 's' ? sync("x", 1) : api[0] == 'b' ? beat("x", 1) : leave("x");
    EXPECT_EQ(code, code_of(error_code::unknown_member_id)) << api;
  }
}

TEST_F(classic_test, a_second_member_makes_the_first_join_again) {
  join("m1");
  sync("m1", 1, {{"m1", "all"}});
  join("m2");
  EXPECT_FALSE(joined.contains("m2"));
  EXPECT_EQ(state(), "PreparingRebalance");
  EXPECT_EQ(beat("m1", 1), code_of(error_code::rebalance_in_progress));
  EXPECT_EQ(sync("m1", 1), code_of(error_code::rebalance_in_progress));
  EXPECT_EQ(join(asks("m1")), 0);
  EXPECT_EQ(joined["m1"].generation_id, 2);
  EXPECT_EQ(joined["m2"].generation_id, 2);
  EXPECT_EQ(joined["m1"].members.size(), 2U) << "the leader is told everybody";
  EXPECT_TRUE(joined["m2"].members.empty());
  EXPECT_EQ(sync("m2", 2), 0);
  EXPECT_FALSE(synced.contains("m2")) << "waits for the leader";
  sync("m1", 2, {{"m1", "a"}, {"m2", "b"}});
  EXPECT_EQ(synced["m2"].assignment, "b");
  EXPECT_EQ(beat("m2", 1), code_of(error_code::illegal_generation));
}

TEST_F(classic_test, a_join_that_is_repeated_is_answered_again_and_rebalances_nothing) {  // seen at a 4.4 broker
  join("m1");
  join("m2");
  ASSERT_EQ(join(asks("m1")), 0);
  ASSERT_EQ(joined["m2"].generation_id, 2);
  EXPECT_EQ(join(asks("m2")), 0) << "it has not seen the answer";
  EXPECT_EQ(answered.generation_id, 2);
  EXPECT_EQ(answered.leader, "m1");
  EXPECT_EQ(state(), "CompletingRebalance");
  sync("m2", 2);
  sync("m1", 2, {{"m1", "a"}, {"m2", "b"}});
  ASSERT_EQ(state(), "Stable");
  EXPECT_EQ(join(asks("m2")), 0);
  EXPECT_EQ(answered.generation_id, 2);
  EXPECT_EQ(state(), "Stable");
  join(asks("m1"));
  EXPECT_EQ(state(), "PreparingRebalance") << "the leader wants to assign anew";
}

TEST_F(classic_test, only_what_all_members_support_is_chosen) {
  join("m1");
  EXPECT_EQ(join(asks("", "other"), "m2", 3), code_of(error_code::inconsistent_group_protocol));
  auto request = asks("");
  request.protocol_type = "connect";
  EXPECT_EQ(join(request, "m2", 3), code_of(error_code::inconsistent_group_protocol));
  EXPECT_EQ(join(asks("m1", "other")), code_of(error_code::inconsistent_group_protocol));
}

TEST_F(classic_test, who_does_not_join_again_in_time_is_out) {
  join("m1");
  sync("m1", 1);
  join("m2");
  for (int i = 0; i < 4; ++i) {
    pass(5'000);
    beat("m1", 1);
  }
  EXPECT_EQ(joined["m2"].generation_id, 2);
  EXPECT_EQ(joined["m2"].leader, "m2");
  EXPECT_EQ(beat("m1", 1), code_of(error_code::unknown_member_id));
}

TEST_F(classic_test, a_silent_member_is_dropped_after_its_session_timeout) {
  join("m1");
  sync("m1", 1);
  pass(9'999);
  EXPECT_EQ(state(), "Stable");
  pass(1);
  EXPECT_EQ(state(), "Empty");
  EXPECT_EQ(beat("m1", 1), code_of(error_code::unknown_member_id));
}

TEST_F(classic_test, a_promised_id_is_forgotten_in_time) {
  join(asks(""), "m1");
  pass(10'000);
  EXPECT_EQ(join(asks("m1")), code_of(error_code::unknown_member_id));
}

TEST_F(classic_test, the_last_one_to_leave_leaves_an_empty_group_that_remembers_its_protocol_type) {
  join("m1");
  EXPECT_EQ(leave("nobody"), code_of(error_code::unknown_member_id));
  EXPECT_EQ(leave("m1"), 0);
  EXPECT_EQ(state(), "Empty");
  streams_group reloaded;
  reloaded.id = "g";
  apply(reloaded, classic_group_record{group.classic});
  EXPECT_EQ(describe_classic(reloaded).protocol_type, "consumer");
  EXPECT_EQ(summarise(reloaded).protocol_type, "consumer");
  EXPECT_EQ(summarise(reloaded).state_name, "Empty");
}

TEST_F(classic_test, a_full_group_refuses_strangers_never_its_own_members) {
  for (const auto* id : {"m1", "m2", "m3"}) join(id);
  EXPECT_EQ(join("m4"), code_of(error_code::group_max_size_reached));
  EXPECT_EQ(join(asks("m1")), 0);
  EXPECT_EQ(join_static("m4"), code_of(error_code::group_max_size_reached)) << "an instance that is no member yet";
}

TEST_F(classic_test, a_static_member_takes_the_place_of_its_former_self) {
  join_static("m1");
  join_static("m2");
  EXPECT_EQ(joined["m2"].leader, "m2");
  EXPECT_EQ(joined["m2"].members.size(), 1U);
  EXPECT_EQ(join_static("", "m1"), code_of(error_code::fenced_instance_id));
  EXPECT_EQ(join_static("", "stranger"), code_of(error_code::fenced_instance_id));
  auto request = asks("m2");
  request.group_instance_id = "other";
  EXPECT_EQ(join(request), code_of(error_code::unknown_member_id)) << "nobody has that instance id";
}

TEST_F(classic_test, kip345_a_static_member_that_restarts_causes_no_rebalance_and_keeps_its_assignment) {
  join_static("m1");
  sync("m1", 1, {{"m1", "all"}});
  EXPECT_EQ(join_static("m2"), 0);
  EXPECT_EQ(state(), "Stable");
  EXPECT_EQ(answered.generation_id, 1);
  EXPECT_EQ(answered.member_id, "m2");
  EXPECT_EQ(answered.leader, "m2");
  EXPECT_TRUE(answered.skip_assignment);
  EXPECT_EQ(answered.members.size(), 1U);
  EXPECT_EQ(sync("m2", 1), 0);
  EXPECT_EQ(synced["m2"].assignment, "all");
  join_static("m3", "", 8);
  EXPECT_EQ(answered.leader, "m2") << "an old client takes itself for a follower, so it assigns nothing";
  EXPECT_TRUE(answered.members.empty());
  EXPECT_FALSE(answered.skip_assignment);
}

TEST_F(classic_test, kip345_a_duplicate_static_member_fences_the_one_that_waits) {
  join("m1");
  sync("m1", 1);
  join_static("s1");
  join_static("s2");
  EXPECT_EQ(joined["s1"].error_code, code_of(error_code::fenced_instance_id));
  EXPECT_EQ(joined["s1"].member_id, "s1");
  join(asks("m1"));
  EXPECT_EQ(joined["s2"].generation_id, 2);
  sync("s2", 2);
  join_static("s3");
  EXPECT_EQ(synced["s2"].error_code, code_of(error_code::fenced_instance_id));
  EXPECT_EQ(state(), "PreparingRebalance");
}

TEST_F(classic_test, kip345_a_static_member_that_is_late_stays_until_its_session_ends) {
  auto request = asks("");
  request.group_instance_id = "i";
  request.session_timeout_ms = 60'000;
  join(request, "s1");
  sync("s1", 1);
  join("m2");
  pass(20'000);
  ASSERT_EQ(joined["m2"].generation_id, 2) << "nobody waits for it any longer";
  EXPECT_EQ(joined["m2"].leader, "m2") << "who has not joined cannot assign";
  EXPECT_EQ(joined["m2"].members.size(), 2U);
  EXPECT_EQ(beat("s1", 1), code_of(error_code::illegal_generation));
  sync("m2", 2, {{"m2", "a"}, {"s1", "b"}});
  leave("m2");
  pass(20'000);
  EXPECT_EQ(state(), "PreparingRebalance") << "as long as nobody joins the group waits";
  EXPECT_EQ(group.soft.classic.members.size(), 1U);
  pass(20'000);
  EXPECT_EQ(state(), "Empty");
}

TEST_F(classic_test, a_group_that_allows_no_time_and_that_nobody_joins_is_looked_at_once_a_second) {
  auto request = asks("");
  request.group_instance_id = "i";
  request.session_timeout_ms = 60'000;
  request.rebalance_timeout_ms = 0;
  join(request, "s1");
  auto other = asks("");
  other.rebalance_timeout_ms = 0;
  join(other, "m2", 3);
  pass(0);
  sync("m2", 2);
  leave("m2");
  pass(0);
  ASSERT_EQ(state(), "PreparingRebalance");
  EXPECT_GE(group.soft.classic.next_deadline().value(), now + 1'000);
}

TEST_F(classic_test, a_heartbeat_changes_one_deadline_and_copies_no_group) {
  join("m1");
  sync("m1", 1);
  now += 1'000;
  protocol::heartbeat_request request;
  request.member_id = "m1";
  request.generation_id = 1;
  const auto beaten = beat_classic(group, request, now);
  EXPECT_FALSE(beaten.soft.classic);
  protocol::sync_group_request again;
  again.member_id = "m1";
  again.generation_id = 1;
  EXPECT_FALSE(sync_classic(group, again, now).soft.classic);
  take(beaten);
  EXPECT_EQ(group.soft.classic.members.at("m1").session_deadline_ms, now + 10'000);
}

TEST_F(classic_test, s4_2_commits_are_judged_by_generation) {
  join("m1");
  const auto check = [&](std::string_view member, std::int32_t generation) {
    const auto refused = check_commit(group, {.version = 9,
                                              .transactional = false,
                                              .member_id = member,
                                              .instance_id = {},
                                              .member_epoch = generation,
                                              .partitions = {}});
    return refused ? code_of(refused->code) : 0;
  };
  EXPECT_EQ(check("m1", 1), code_of(error_code::rebalance_in_progress));
  sync("m1", 1);
  EXPECT_EQ(check("m1", 1), 0);
  EXPECT_EQ(check("m1", 0), code_of(error_code::illegal_generation));
  EXPECT_EQ(check("", -1), code_of(error_code::unknown_member_id));
}

TEST_F(classic_test, s4_2_s4_4_a_commit_that_names_an_instance_is_judged_by_it) {
  join_static("m1");
  sync("m1", 1);
  const auto check = [&](std::string_view member, std::int32_t generation, std::string_view instance, bool pending) {
    const auto refused = check_commit(group, {.version = 9,
                                              .transactional = pending,
                                              .member_id = member,
                                              .instance_id = instance,
                                              .member_epoch = generation,
                                              .partitions = {}});
    return refused ? code_of(refused->code) : 0;
  };
  for (const bool pending : {false, true}) {
    EXPECT_EQ(check("m1", 1, "i", pending), 0);
    EXPECT_EQ(check("m0", 1, "i", pending), code_of(error_code::fenced_instance_id));
    EXPECT_EQ(check("", -1, "i", pending), code_of(error_code::fenced_instance_id));
    EXPECT_EQ(check("m1", 1, "j", pending), code_of(error_code::unknown_member_id));
    EXPECT_EQ(check("m1", 0, "j", pending), code_of(error_code::unknown_member_id)) << "before the generation";
  }
}

// ---- against streams groups ----

TEST_F(classic_test, s12_a_live_classic_group_refuses_streams_members_an_empty_one_is_converted) {
  const scenario s(false);
  apply(group, offset_record{"foo", 1, committed_offset{}});
  join("m1");
  auto outcome = heartbeat(group, s.request("A", 0, {}), {}, s.view());
  EXPECT_EQ(outcome.answer.error_code, code_of(error_code::group_id_not_found));
  EXPECT_NE(outcome.answer.error_message->view().find("not a streams group"), std::string_view::npos);
  EXPECT_TRUE(outcome.records.empty());
  leave("m1");
  outcome = heartbeat(group, s.request("A", 0, {}), {}, s.view());
  EXPECT_EQ(outcome.answer.error_code, 0);
  ASSERT_FALSE(outcome.records.empty());
  EXPECT_EQ(outcome.records.front(), record(classic_group_record{})) << "E2: the classic group's tombstone is first";
  for (const auto& r : outcome.records) apply(group, r);
  EXPECT_EQ(group.kind, group_kind::streams);
  EXPECT_EQ(group.offsets.size(), 1U);
  EXPECT_FALSE(group.classic);
}

TEST_F(classic_test, s4_7_a_streams_group_with_members_takes_no_classic_ones) {
  scenario s(false);
  s.join("A");
  group = s.state();
  EXPECT_EQ(join("m1"), code_of(error_code::inconsistent_group_protocol));
  EXPECT_EQ(join(asks("A")), code_of(error_code::inconsistent_group_protocol));
  auto impatient = asks("A");
  impatient.session_timeout_ms = 1;
  EXPECT_EQ(join(impatient), code_of(error_code::invalid_session_timeout));
  EXPECT_EQ(sync("A", 1), code_of(error_code::unknown_member_id));
  EXPECT_EQ(beat("A", 2), code_of(error_code::unknown_member_id));
  EXPECT_EQ(leave("A"), code_of(error_code::unknown_member_id));
  const auto described = describe_classic(group);
  EXPECT_EQ(described.error_code, code_of(error_code::group_id_not_found));
  EXPECT_EQ(described.group_state, "Dead");
  EXPECT_EQ(group.members.size(), 1U);
}

TEST_F(classic_test, e18_an_empty_streams_group_becomes_an_empty_classic_group_and_keeps_its_offsets) {
  scenario s(false);
  s.join("A");
  s.leave("A");
  group = s.state();
  apply(group, offset_record{"foo", 1, committed_offset{}});
  EXPECT_EQ(join(asks(""), "m1"), code_of(error_code::member_id_required));
  std::string types;
  for (const auto& r : last_written) types += std::to_string(type_of(r)) + (is_tombstone(r) ? "t " : " ");
  EXPECT_EQ(types, "20t 17t 23t 2 ");
  EXPECT_EQ(group.kind, group_kind::simple);
  EXPECT_EQ(group.offsets.size(), 1U);
  EXPECT_EQ(join(asks("m1")), 0);
  EXPECT_EQ(joined["m1"].generation_id, 1);
}

TEST_F(classic_test, an_empty_streams_group_ends_with_a_join_under_an_unknown_id) {  // seen at a 4.4 broker
  scenario s(true);
  s.join("A");
  s.leave("A");
  group = s.state();
  EXPECT_EQ(join(asks("A")), code_of(error_code::unknown_member_id));
  EXPECT_EQ(group.kind, group_kind::streams) << "r13: refused, and nothing changes";
  strict_kafka = true;
  EXPECT_EQ(join(asks("A")), code_of(error_code::unknown_member_id));
  EXPECT_EQ(group.kind, group_kind::none);
}

}  // namespace
}  // namespace weir::group
