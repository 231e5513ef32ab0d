// Who may commit and fetch offsets: spec 05, 4.2 to 4.4, and spec 01, appendix B.
#include "group/offsets/commit.hpp"

#include <gtest/gtest.h>

#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

class commits : public ::testing::Test {
 protected:
  commits() {
    // A: 0 and 1 since epoch 2, 2 and 3 pending revocation; B waits. A at 2, then moved on to 3 with 0 and 1.
    s.join("A");
    s.split({{"A", "0:0,1"}, {"B", "0:2,3"}}).join("B");
    s.hb("A", 2, {.own = "0:0,1"});
    s.hb("B", 3);
  }

  [[nodiscard]] int commit(const char* member_id, int epoch, std::int32_t partition = 0, int version = 9,
                           const char* topic = "foo") const {
    return code(request(member_id, epoch, {topic, partition}, version));
  }

  [[nodiscard]] int in_transaction(const char* member_id, int epoch, int version, std::int32_t partition = 0) const {
    auto transaction = request(member_id, epoch, {"foo", partition}, version);
    transaction.transactional = true;
    return code(transaction);
  }

  [[nodiscard]] static commit_check request(const char* member_id, int epoch,
                                            std::pair<std::string_view, std::int32_t> partition, int version) {
    commit_check made;
    made.version = static_cast<std::int16_t>(version);
    made.member_id = member_id;
    made.member_epoch = epoch;
    made.partitions = {partition};
    return made;
  }

  [[nodiscard]] int code(const commit_check& committed) const {
    const auto verdict = check_commit(s.state(), committed);
    return verdict ? protocol::code_of(verdict->code) : 0;
  }

  scenario s;
};

TEST_F(commits, of_members) {
  EXPECT_EQ(commit("A", 3), 0);
  EXPECT_EQ(commit("A", 3, 3, 9, "not in the topology"), 0) << "at the member's epoch any topic may be committed";
  EXPECT_EQ(commit("A", 4), 113);
  EXPECT_EQ(commit("A", 2, 0), 0) << "assigned since epoch 2";
  EXPECT_EQ(commit("A", 2, 3), 113) << "no longer assigned";
  EXPECT_EQ(commit("B", 2, 3), 113) << "assigned since epoch 3 only";
  EXPECT_EQ(commit("A", 1, 0), 113);
  EXPECT_EQ(commit("A", 2, 0, 9, "bar"), 113);
  EXPECT_EQ(commit("A", -1), 113);
  EXPECT_EQ(commit("A", 3, 0, 8), 35);
  EXPECT_EQ(commit("X", 3), 25);
  EXPECT_EQ(commit("", -1), 25);
}

TEST_F(commits, of_nothing_are_stale_only_at_a_later_epoch) {  // seen at a 4.4 broker: metadata too long is told first
  auto nothing = request("A", -1, {"foo", 0}, 9);
  nothing.partitions.clear();
  EXPECT_EQ(code(nothing), 0);
  nothing.member_epoch = 4;
  EXPECT_EQ(code(nothing), 113);
}

TEST_F(commits, of_tasks_pending_revocation) {
  s.split({{"A", "0:0"}, {"B", "0:1-3"}}).hb("B", 3, {.rack = "r1"});
  s.hb("A", 3);
  ASSERT_EQ(s.member("A"), "UNREVOKED 3/3 A{0:0} pending A{0:1}");
  EXPECT_EQ(commit("A", 2, 1), 0);
  EXPECT_EQ(commit("A", 1, 1), 113);
}

TEST_F(commits, of_which_one_partition_fails_fail) {
  commit_check request;
  request.member_id = "A";
  request.member_epoch = 2;
  request.partitions = {{"foo", 0}, {"foo", 3}};
  EXPECT_EQ(check_commit(s.state(), request)->code, protocol::error_code::stale_member_epoch);
}

TEST_F(commits, in_transactions) {
  EXPECT_EQ(in_transaction("A", 3, 6), 0);
  EXPECT_EQ(in_transaction("A", 2, 5), 0);
  EXPECT_EQ(in_transaction("", -1, 6), 0) << "no member named: no check";
  EXPECT_EQ(in_transaction("X", 3, 6), 25);
  EXPECT_EQ(in_transaction("A", 4, 6), 113);
  EXPECT_EQ(in_transaction("A", 4, 5), 22);
  EXPECT_EQ(in_transaction("A", 2, 5, 3), 22);
}

TEST_F(commits, without_members) {
  s.leave("A");
  s.leave("B");
  EXPECT_EQ(commit("", -1), 0);
  EXPECT_EQ(commit("A", -1, 0, 2), 0);
  EXPECT_EQ(commit("A", 3), 25);
}

TEST(commits_without_group, create_a_simple_group_or_say_which_error_the_version_knows) {
  streams_group nobody;
  commit_check request;
  EXPECT_FALSE(check_commit(nobody, request));
  request.member_epoch = 0;
  EXPECT_EQ(check_commit(nobody, request)->code, protocol::error_code::group_id_not_found);
  request.version = 8;
  EXPECT_EQ(check_commit(nobody, request)->code, protocol::error_code::illegal_generation);
  request.transactional = true;
  request.member_id = "A";
  request.version = 5;
  EXPECT_EQ(check_commit(nobody, request)->code, protocol::error_code::illegal_generation);
  request.version = 6;
  EXPECT_EQ(check_commit(nobody, request)->code, protocol::error_code::group_id_not_found);
}

TEST_F(commits, of_a_static_member_that_is_away) {
  scenario away;
  away.join("A", {.instance = "i1"});
  away.hb("A", -2, {.instance = "i1"});
  commit_check request;
  request.member_id = "A";
  request.partitions = {{"foo", 0}};
  request.member_epoch = -2;
  EXPECT_FALSE(check_commit(away.state(), request));
  request.member_epoch = 2;
  EXPECT_EQ(check_commit(away.state(), request)->code, protocol::error_code::stale_member_epoch);
}

TEST_F(commits, are_counted_for_their_members_and_those_of_strangers_for_the_group) {
  auto& group = s.mutable_state();
  using protocol::error_code;
  note_commit(group, "A", error_code::none, 10);
  note_commit(group, "A", error_code::stale_member_epoch, 20);
  note_commit(group, "A", error_code::illegal_generation, 30);
  note_commit(group, "A", error_code::none, 40);
  note_commit(group, "X", error_code::unknown_member_id, 50);
  note_commit(group, "", error_code::none, 60);
  const commit_counts expected{
      .accepted = 2, .refused = 2, .last_refused_ms = 30, .last_error = error_code::illegal_generation};
  EXPECT_EQ(group.soft.members.at("A").commits, expected);
  EXPECT_EQ(group.soft.members.at("B").commits, commit_counts());
  EXPECT_EQ(group.soft.commits_refused_of_strangers, 1U);
}

TEST_F(commits, of_a_member_that_joins_again_are_counted_anew) {
  note_commit(s.mutable_state(), "B", protocol::error_code::none, 10);
  s.leave("B");
  s.join("B");
  EXPECT_EQ(s.state().soft.members.at("B").commits, commit_counts());
}

TEST(commits_without_group, of_no_streams_group_are_not_counted) {
  streams_group simple;
  simple.kind = group_kind::simple;
  note_commit(simple, "X", protocol::error_code::unknown_member_id, 10);
  EXPECT_EQ(simple.soft.commits_refused_of_strangers, 0U);
}

TEST_F(commits, fetching) {
  const auto fetch = [&](std::optional<std::string_view> member_id, int epoch) {
    const auto verdict = check_fetch(s.state(), member_id, epoch);
    return verdict ? protocol::code_of(verdict->code) : std::int16_t{0};
  };
  EXPECT_EQ(fetch(std::nullopt, -1), 0);
  EXPECT_EQ(fetch("A", 3), 0);
  EXPECT_EQ(fetch("A", 2), 113);
  EXPECT_EQ(fetch("X", 3), 25);
  EXPECT_EQ(fetch("", -1), 25);
  EXPECT_FALSE(check_fetch(streams_group(), "A", 3)) << "an unknown group has no offsets, and that is no error";
}

}  // namespace
}  // namespace weir::group
