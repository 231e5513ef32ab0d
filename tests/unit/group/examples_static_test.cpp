// Worked examples EX-24 to EX-29, EX-43, EX-45 of spec 01, section 12: static members, size limit, shutdown, endpoints.
#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

class static_members : public ::testing::TestWithParam<bool> {
 protected:
  scenario s{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(strict, static_members, ::testing::Bool());

const with i1{.instance = "i1"};

TEST_P(static_members, ex_24_static_member) {
  EXPECT_EQ(s.join("A", {.instance = "i1", .process = "p1"}), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g2/a2 STABLE");
  EXPECT_EQ(s.join("A", i1), "error 111");
  EXPECT_EQ(s.join("B", i1), "error 111");
  EXPECT_EQ(s.hb("B", 2, i1), "error 82");
  EXPECT_EQ(s.hb("A", 2, {.instance = "iX"}), "error 25");
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_EQ(s.hb("B", -2, i1), "error 82");
  EXPECT_EQ(s.hb("A", -2, i1), "ep -2, -, []");
  EXPECT_EQ(s.written(), "22");
  EXPECT_EQ(s.group(), "g2/a2 RECONCILING");
  EXPECT_EQ(s.hb("A", 2, i1), "error 110");
  EXPECT_EQ(s.hb("A", -2, i1), "ep -2, -, []");
  EXPECT_EQ(s.join("B", {.instance = "i1", .process = "p1"}), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.written(), "22t 21t 19t 19 21 22 22");
  EXPECT_EQ(s.group(), "g2/a2 STABLE");
  EXPECT_EQ(s.member("A"), "gone");
  EXPECT_EQ(s.hb("A", 2, i1), "error 82");
  EXPECT_EQ(s.hb("A", 2), "error 25");
  s.hb("B", -2, i1);
  s.split({{"C", "0:0-3"}});
  EXPECT_EQ(s.join("C", {.instance = "i1", .process = "p9"}), "ep 3, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  s.hb("C", -2, i1);
  EXPECT_EQ(s.join("C", {.instance = "i1", .process = "p9"}), "ep 3, A{0:0-3}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
  EXPECT_EQ(s.leave("C", i1), "ep -1, -, []");
  EXPECT_EQ(s.group(), "g4/a4 EMPTY");
}

TEST_P(static_members, ex_25_temporary_leave_expires) {
  s.join("A", i1);
  s.hb("A", -2, i1);
  s.pass(44'000);
  EXPECT_EQ(s.group(), "g2/a2 RECONCILING");
  s.pass(1'000);
  EXPECT_EQ(s.member("A"), "gone");
  EXPECT_EQ(s.group(), "g3/a3 EMPTY");
  EXPECT_EQ(s.state().target_info.assignment_timestamp_ms, 0);
}

TEST_P(static_members, ex_26_temporary_leave_while_unrevoked) {
  s.join("A", i1);
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  s.hb("A", 2, i1);
  ASSERT_EQ(s.member("A"), "UNREVOKED 2/2 A{0:0,1} pending A{0:2,3}");
  EXPECT_EQ(s.hb("A", -2, i1), "ep -2, -, []");
  EXPECT_EQ(s.member("A"), "UNREVOKED -2/2 A{0:0,1}");
  EXPECT_EQ(s.state().members.at("A").current.assigned.active, tasks_at("0:0,1", 0));
  EXPECT_EQ(s.hb("B", 3), "ep 3, A{0:2,3}, []");
  EXPECT_EQ(s.member("B"), "STABLE 3/3 A{0:2,3}");
  EXPECT_EQ(s.join("A2", {.instance = "i1", .process = "p-A"}), "ep 3, A{0:0,1}, []");
  EXPECT_EQ(s.group(), "g3/a3 STABLE");
}

TEST_P(static_members, ex_27_size_limit) {
  s.max_size(2);
  s.join("A", i1);
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  EXPECT_EQ(s.join("C"), "error 81");
  EXPECT_EQ(s.join("C", {.instance = "i3"}), "error 81");
  EXPECT_EQ(s.join("C", i1), "error 111");
  s.hb("A", -2, i1);
  EXPECT_EQ(s.join("C", {.instance = "i1", .process = "p-A"}).substr(0, 2), "ep");
  EXPECT_EQ(s.join("B").substr(0, 2), "ep");
}

TEST(static_members_strict, ex_28_shutdown) {
  scenario s(true);
  EXPECT_EQ(s.join("A", {.shutdown = true}), "ep 2, A{0:0-3}, [4]");
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, []");
  EXPECT_EQ(s.hb("A", 2, {.shutdown = true}), "ep 2, -, [4]");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}});
  EXPECT_EQ(s.join("B"), "ep 3, {}, [4]");
  EXPECT_EQ(s.leave("A"), "ep -1, -, []");
  s.split({{"B", "0:0-3"}});
  EXPECT_EQ(s.hb("B", 3), "ep 4, A{0:0-3}, [4]");
  EXPECT_NE(s.last().answer.status->front().status_detail.view().find("A"), std::string_view::npos);
  s.leave("B");
  s.split({{"C", "0:0-3"}});
  EXPECT_EQ(s.join("C"), "ep 6, A{0:0-3}, []");
}

TEST(static_members_ours, ex_28_the_first_shutdown_request_is_not_lost_x3) {
  scenario s(false);
  EXPECT_EQ(s.join("A", {.shutdown = true}), "ep 2, A{0:0-3}, [4]");
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, [4]");
}

TEST_P(static_members, shutdown_on_a_leave_is_remembered_for_the_others) {
  s.join("A");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
  EXPECT_EQ(s.leave("A", {.shutdown = true}), "ep -1, -, []");
  s.split({{"B", "0:0-3"}});
  EXPECT_EQ(s.hb("B", 3), "ep 4, A{0:0-3}, [4]");
}

TEST_P(static_members, shutdown_on_the_leave_of_a_stranger_is_remembered) {  // seen at a 4.4 broker
  s.join("A");
  s.leave("stranger", {.shutdown = true});
  EXPECT_EQ(s.last().answer.error_code, code_of(protocol::error_code::unknown_member_id));
  EXPECT_EQ(s.hb("A", 2), "ep 2, -, [4]");
  s.leave("A");
  s.hb("stranger", -2, {.instance = "i9", .shutdown = true});
  EXPECT_EQ(s.join("B"), "ep 4, A{0:0-3}, [4]") << "nobody was left to forget it with";
}

TEST_P(static_members, shutdown_of_the_last_member_is_forgotten_with_it) {
  s.join("A");
  s.leave("A", {.shutdown = true});
  EXPECT_EQ(s.join("B"), "ep 4, A{0:0-3}, []");
}

TEST_P(static_members, shutdown_is_forgotten_when_the_only_member_is_replaced) {  // 6.1, seen at a 4.4 broker
  s.join("A", {.instance = "i1", .process = "p1"});
  s.hb("A", -2, {.instance = "i1", .shutdown = true});
  EXPECT_EQ(s.join("B", {.instance = "i1", .process = "p1", .shutdown = true}), "ep 2, A{0:0-3}, [4]");
  EXPECT_EQ(s.hb("B", 2, {.instance = "i1"}), "ep 2, -, []");
}

TEST_P(static_members, offsets_reported_under_the_id_that_is_replaced_are_lost) {  // seen at a 4.4 broker
  s.join("A", {.instance = "i1", .process = "p1"});
  s.hb("A", -2, {.instance = "i1"});
  s.join("A", {.instance = "i1", .process = "p1", .offsets = "0_1=10"});
  EXPECT_TRUE(s.state().soft.members.at("A").offsets.get().empty());
  s.hb("A", -2, {.instance = "i1"});
  s.join("B", {.instance = "i1", .process = "p1", .offsets = "0_1=10"});
  EXPECT_FALSE(s.state().soft.members.at("B").offsets.get().empty());
}

TEST(static_members_strict, x3_offsets_of_the_creating_heartbeat_are_lost) {
  scenario s(true);
  s.join("A", {.offsets = "0_1=10"});
  EXPECT_TRUE(s.state().soft.members.at("A").offsets.get().empty());
  s.hb("A", 2, {.offsets = "0_1=10"});
  EXPECT_FALSE(s.state().soft.members.at("A").offsets.get().empty());
}

TEST(static_members_strict, ex_29_endpoints) {
  scenario s(true);
  s.join("A", {.endpoint = "ha:1"});
  EXPECT_EQ(s.endpoints(), "0, [ha: foo 0-3]");
  s.hb("A", 2);
  EXPECT_EQ(s.endpoints(), "0, null");
  s.hb("A", 2, {.endpoint_epoch = -1});
  EXPECT_EQ(s.endpoints(), "0, [ha: foo 0-3]");
  s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B", {.endpoint = "hb:2"});
  EXPECT_EQ(s.endpoints(), "1, [ha: foo 0-3; hb: nothing]");
  EXPECT_EQ(s.hb("A", 2), "ep 2, A{0:0,1}, []");
  EXPECT_EQ(s.endpoints(), "2, [hb: nothing; ha: foo 0,1]");
  s.hb("A", 2, {.own = "0:0,1"});
  EXPECT_EQ(s.endpoints(), "2, null");
  EXPECT_EQ(s.hb("B", 3), "ep 3, A{0:2,3}, []");
  EXPECT_EQ(s.endpoints(), "3, [ha: foo 0,1; hb: foo 2,3]");
  s.hb("A", 3);
  EXPECT_EQ(s.endpoints(), "3, [hb: foo 2,3; ha: foo 0,1]");
  EXPECT_EQ(s.hb("A", 3, {.endpoint = "ha2:1"}), "ep 4, -, []");
  EXPECT_EQ(s.endpoints(), "4, [hb: foo 2,3; ha2: foo 0,1]");
  s.leave("B");
  EXPECT_EQ(s.state().soft.endpoint_epoch, 4);
  s.split({{"A", "0:0-3"}});
  EXPECT_EQ(s.hb("A", 4), "ep 5, A{0:0-3}, []");
  EXPECT_EQ(s.endpoints(), "5, [ha2: foo 0-3]");
  EXPECT_EQ(s.join("A", {.endpoint_epoch = 4}), "ep 6, A{0:0-3}, []");
  EXPECT_EQ(s.endpoints(), "6, []");
}

TEST(static_members_ours, ex_29_the_first_answer_has_the_real_endpoint_epoch_x3) {
  scenario s(false);
  s.join("A", {.endpoint = "ha:1"});
  EXPECT_EQ(s.endpoints(), "0, [ha: foo 0-3]");
  s.hb("A", 2);
  EXPECT_EQ(s.endpoints(), "0, null");
  s.join("B", {.endpoint_epoch = 0});
  EXPECT_EQ(s.last().answer.endpoint_information_epoch, 0) << "nothing has changed since";
}

TEST_P(static_members, x3_where_an_empty_classic_group_was_the_first_answer_has_epoch_1) {  // seen at a 4.4 broker
  const bool strict = GetParam();
  s.store(offset_record{"foo", 1, committed_offset{}});
  s.join("A", {.endpoint = "ha:1", .offsets = "0_1=10"});
  EXPECT_EQ(s.endpoints(), "1, [ha: foo 0-3]");
  EXPECT_EQ(s.state().soft.members.at("A").offsets.get().empty(), strict);
  s.hb("A", 2);
  EXPECT_EQ(s.endpoints(), strict ? "0, [ha: foo 0-3]" : "1, null") << "Kafka forgets it afterwards";
}

TEST_P(static_members, endpoint_of_a_static_member_moves_no_group_epoch) {
  s.join("A", {.instance = "i1", .endpoint = "ha:1"});
  const auto before = s.state().soft.endpoint_epoch;
  EXPECT_EQ(s.hb("A", 2, {.instance = "i1", .endpoint = "hb:1"}), "ep 2, -, []");
  EXPECT_EQ(s.written(), "19");
  EXPECT_EQ(s.state().soft.endpoint_epoch, before + 1);
}

TEST_P(static_members, ex_43_initial_delay_does_not_start_beside_a_static_member_that_is_away) {
  s.join("A", i1);
  s.hb("A", -2, i1);
  s.delay(3000).split({{"A", "0:0,1"}, {"B", "0:2,3"}});
  EXPECT_EQ(s.join("B"), "ep 3, {}, []") << "computed at once; 2 and 3 are still held by the member that is away";
}

TEST_P(static_members, ex_45_dynamic_member_becomes_static) {
  s.join("A");
  EXPECT_EQ(s.join("A", {.instance = "i5"}), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.written(), "19");
  EXPECT_EQ(s.state().static_members.at("i5"), "A");
  EXPECT_EQ(s.leave("A"), "ep -1, -, []");
  EXPECT_EQ(s.member("A"), "gone");
  EXPECT_TRUE(s.state().static_members.empty());
}

TEST_P(static_members, taking_another_instance_id_drops_the_old_one) {
  s.join("A", i1);
  EXPECT_EQ(s.join("A", {.instance = "i2"}), "ep 2, A{0:0-3}, []");
  EXPECT_EQ(s.hb("A", 2, i1), "error 25");
  EXPECT_EQ(s.hb("A", 2, {.instance = "i2"}), "ep 2, -, []");
}

}  // namespace
}  // namespace weir::group
