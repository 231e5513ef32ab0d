// Transactional offsets, deleted offsets, and the clean-up: spec 04, 8.3 and 13; spec 05, 4.4 to 4.6.
#include <gtest/gtest.h>

#include "group/offsets/delete.hpp"
#include "group/offsets/expire.hpp"
#include "group/offsets/transactions.hpp"
#include "tests/unit/group/scenario.hpp"

namespace weir::group {
namespace {

using protocol::error_code;

committed_offset at(std::int64_t offset, std::int64_t time_ms = 0) {
  committed_offset value;
  value.offset = offset;
  value.commit_timestamp_ms = time_ms;
  return value;
}

class offsets_test : public ::testing::Test {
 protected:
  offsets_test() { group.id = "g"; }

  void take(const change_outcome& outcome) {
    for (const auto& r : outcome.records) apply(group, r);
    for (const auto& soft : outcome.soft) apply(group, soft);
  }
  void pend(std::int64_t producer_id, std::int64_t offset, std::int16_t epoch = 0, std::int32_t partition = 0) {
    take(hold_back(group, {.id = producer_id, .epoch = epoch, .deadline_ms = 1'000}, {{"foo", partition, at(offset)}}));
  }
  void end(std::int64_t producer_id, bool commit, std::int16_t epoch = 0) {
    take(end_transaction(group, producer_id, epoch, commit));
  }
  void commit(std::int64_t offset, std::int32_t partition = 0, std::int64_t time_ms = 0) {
    apply(group, offset_record{"foo", partition, at(offset, time_ms)});
  }
  /// -1: nothing committed.
  [[nodiscard]] std::int64_t committed(std::int32_t partition = 0) const {
    const auto topic = group.offsets.find("foo");
    if (topic == group.offsets.end() || !topic->second.contains(partition)) return -1;
    return topic->second.at(partition).offset;
  }
  void clean(std::int64_t now_ms, const retention& rule = {.retention_ms = 100, .from_empty = false}) {
    for (const auto& r : clean_up(group, rule, 0, now_ms)) apply(group, r);
  }

  streams_group group;
};

// ---- transactions ----

TEST_F(offsets_test, s8_3_pending_offsets_show_when_the_transaction_commits) {
  pend(1, 5);
  EXPECT_EQ(committed(), -1);
  EXPECT_TRUE(group.soft.transactions.is_pending("foo", 0));
  EXPECT_EQ(group.kind, group_kind::simple) << "the group exists from then on";
  end(1, true);
  EXPECT_EQ(committed(), 5);
  EXPECT_FALSE(group.soft.transactions.is_pending("foo", 0));
}

TEST_F(offsets_test, s8_3_an_abort_drops_them_and_a_second_end_changes_nothing) {
  commit(3);
  pend(1, 5);
  end(1, false);
  EXPECT_EQ(committed(), 3);
  end(1, true);
  EXPECT_EQ(committed(), 3);
  EXPECT_TRUE(group.soft.transactions.empty());
}

TEST_F(offsets_test, s13_3_a_plain_commit_between_commit_and_marker_wins) {
  pend(1, 5);
  commit(9);
  EXPECT_TRUE(group.soft.transactions.is_pending("foo", 0)) << "still unstable";
  end(1, true);
  EXPECT_EQ(committed(), 9);
}

TEST_F(offsets_test, s8_3_of_two_transactions_the_later_commit_of_a_partition_wins_whichever_ends_first) {
  pend(1, 5);
  pend(2, 6);
  end(1, true);
  EXPECT_EQ(committed(), 5);
  end(2, true);
  EXPECT_EQ(committed(), 6);
  pend(1, 7);
  pend(2, 8);
  end(2, true);
  end(1, true);
  EXPECT_EQ(committed(), 8);
}

TEST_F(offsets_test, an_end_changes_only_the_transactions_that_it_touches) {
  pend(1, 5);
  pend(2, 6);
  pend(3, 7, 0, 1);
  const auto outcome = end_transaction(group, 1, 0, true);
  ASSERT_EQ(outcome.soft.size(), 1U);
  ASSERT_EQ(outcome.soft[0].transactions.size(), 2U) << "its own, and the one that waits for the same partition";
  EXPECT_FALSE(outcome.soft[0].transactions[0].now);
  EXPECT_EQ(outcome.soft[0].transactions[1].producer_id, 2);
}

TEST_F(offsets_test, s8_3_a_tombstone_takes_pending_offsets_too) {
  pend(1, 5);
  const auto deletion = delete_offsets(group, {{"foo", 0}});
  ASSERT_EQ(deletion.records.size(), 1U);
  apply(group, deletion.records[0]);
  EXPECT_FALSE(group.soft.transactions.is_pending("foo", 0));
  end(1, true);
  EXPECT_EQ(committed(), -1);
}

TEST_F(offsets_test, r7_a_group_deleted_in_between_does_not_come_back) {
  pend(1, 5);
  EXPECT_FALSE(check_deletion(group));
  for (const auto& r : deletion_records(group)) apply(group, r);
  EXPECT_EQ(group.kind, group_kind::none);
  end(1, true);
  EXPECT_EQ(group.kind, group_kind::none);
  EXPECT_EQ(committed(), -1);
}

TEST_F(offsets_test, a_newer_epoch_of_the_producer_aborts_what_the_older_one_left) {
  pend(1, 5, 0, 1);
  pend(1, 6, 1, 2);
  end(1, true, 1);
  EXPECT_EQ(committed(1), -1);
  EXPECT_EQ(committed(2), 6);
  pend(1, 7, 3, 1);
  end(1, true, 2);
  EXPECT_TRUE(group.soft.transactions.is_pending("foo", 1)) << "an end of an older epoch is not about this one";
}

TEST_F(offsets_test, a_transaction_whose_time_is_over_is_aborted) {
  pend(1, 5);
  EXPECT_EQ(next_deadline(group), 1'000);
  EXPECT_TRUE(expire_transactions(group, 999).soft.empty());
  take(expire_transactions(group, 1'000));
  EXPECT_TRUE(group.soft.transactions.empty());
}

// ---- deleted topics ----

TEST_F(offsets_test, s13_6_what_is_pending_for_a_deleted_topic_goes_and_its_transaction_stays_open) {
  const uuid old_id{1, 1};
  const uuid new_id{2, 2};
  const auto pend_for = [&](const uuid& topic_id, std::int32_t partition, std::int64_t producer_id) {
    auto value = at(5);
    value.topic_id = topic_id;
    take(hold_back(group, {.id = producer_id, .epoch = 0, .deadline_ms = 1'000}, {{"foo", partition, value}}));
  };
  pend_for(old_id, 0, 1);
  pend_for(new_id, 1, 1);
  pend_for(uuid(), 2, 2);
  commit(3, 3);
  take(topic_deletion(group, {{"foo", old_id}}));
  EXPECT_EQ(group.soft.transactions.pending(), (std::set<offset_name>{{"foo", 1}}));
  EXPECT_EQ(committed(3), -1);
  EXPECT_EQ(group.soft.transactions.by_producer.size(), 2U) << "both may still be ended";
  end(1, true);
  end(2, true);
  EXPECT_EQ(committed(0), -1);
  EXPECT_EQ(committed(1), 5);
  EXPECT_EQ(committed(2), -1);
}

TEST_F(offsets_test, s13_6_a_group_of_nothing_but_offsets_stays_when_its_topic_goes) {
  commit(3);
  take(topic_deletion(group, {{"foo", uuid{1, 1}}}));
  EXPECT_EQ(committed(0), -1);
  EXPECT_EQ(group.kind, group_kind::simple);
}

TEST_F(offsets_test, s13_6_a_tombstone_takes_what_is_pending_there_whatever_its_topic_id) {
  auto value = at(5);
  value.topic_id = uuid{2, 2};
  commit(3);
  take(hold_back(group, {.id = 1, .epoch = 0, .deadline_ms = 1'000}, {{"foo", 0, value}}));
  take(topic_deletion(group, {{"foo", uuid{1, 1}}}));
  EXPECT_TRUE(group.soft.transactions.pending().empty());
}

// ---- OffsetDelete ----

TEST_F(offsets_test, s4_5_an_unknown_group_is_told_so) {
  EXPECT_EQ(delete_offsets(group, {{"foo", 0}}).error, error_code::group_id_not_found);
}

TEST_F(offsets_test, s4_5_topics_of_a_live_topology_are_refused_others_deleted) {
  scenario s(false);
  s.join("A");
  group = s.state();
  commit(1);
  apply(group, offset_record{"bar", 0, at(1)});
  auto deletion = delete_offsets(group, {{"foo", 0}, {"bar", 0}, {"bar", 1}});
  EXPECT_EQ(deletion.verdicts,
            (std::vector<error_code>{error_code::group_subscribed_to_topic, error_code::none, error_code::none}));
  EXPECT_EQ(deletion.records.size(), 1U);
  s.leave("A");
  group = s.state();
  commit(1);
  deletion = delete_offsets(group, {{"foo", 0}});
  EXPECT_EQ(deletion.verdicts, std::vector<error_code>{error_code::none});
  EXPECT_EQ(deletion.records.size(), 1U);
}

TEST_F(offsets_test, s4_5_topics_that_classic_consumers_read_are_refused) {  // seen at a 4.4 broker
  commit(1);
  classic_member member;
  member.protocols = std::make_shared<const classic_protocols>(
      classic_protocols{{"range", std::string("\0\0\0\0\0\1\0\3foo\xff\xff\xff\xff", 15)}});
  auto& classic = group.soft.classic;
  classic.protocol_type = "consumer";
  classic.put("m", member);
  const auto early = delete_offsets(group, {{"bar", 0}});
  EXPECT_EQ(early.verdicts.at(0), error_code::group_subscribed_to_topic) << "what they read is not known yet";
  classic.protocol = "range";
  const auto deletion = delete_offsets(group, {{"foo", 0}, {"bar", 0}});
  EXPECT_EQ(deletion.verdicts, (std::vector{error_code::group_subscribed_to_topic, error_code::none}));
  classic.protocol_type = "connect";
  EXPECT_EQ(delete_offsets(group, {{"foo", 0}}).error, error_code::non_empty_group);
}

TEST_F(offsets_test, s4_5_a_simple_group_stays_when_its_last_offset_is_deleted) {
  commit(1);
  for (const auto& r : delete_offsets(group, {{"foo", 0}}).records) apply(group, r);
  EXPECT_TRUE(group.offsets.empty());
  EXPECT_EQ(group.kind, group_kind::simple);
  EXPECT_FALSE(check_deletion(group));
  for (const auto& r : deletion_records(group)) apply(group, r);
  EXPECT_EQ(group.kind, group_kind::none);
}

// ---- clean-up (04, 13.4) ----

TEST_F(offsets_test, s13_4_age_counts_from_the_commit) {
  commit(1, 0, 50);
  commit(2, 1, 200);
  clean(149);
  EXPECT_EQ(committed(0), 1);
  clean(150);
  EXPECT_EQ(committed(0), -1);
  EXPECT_EQ(committed(1), 2);
  EXPECT_EQ(group.kind, group_kind::simple);
  clean(300);
  EXPECT_EQ(group.kind, group_kind::none) << "no offset is left: the group goes in the same sweep";
}

TEST_F(offsets_test, s13_4_an_expiry_time_of_its_own_counts_instead) {
  auto value = at(1, 0);
  value.expire_timestamp_ms = 500;
  apply(group, offset_record{"foo", 0, value});
  clean(499);
  EXPECT_EQ(committed(), 1);
  clean(500);
  EXPECT_EQ(committed(), -1);
}

TEST_F(offsets_test, s13_4_what_a_live_group_reads_does_not_expire) {
  scenario s(false);
  s.join("A");
  group = s.state();
  commit(1);
  apply(group, offset_record{"bar", 0, at(1)});
  clean(1'000);
  EXPECT_EQ(committed(), 1);
  EXPECT_FALSE(group.offsets.contains("bar"));
}

TEST_F(offsets_test, s13_4_an_open_transaction_keeps_its_offset_and_its_group) {
  commit(1);
  pend(1, 5);
  clean(1'000);
  EXPECT_EQ(committed(), 1);
}

TEST_F(offsets_test, s13_4_an_empty_streams_group_without_offsets_disappears) {
  scenario s(false);
  s.join("A");
  group = s.state();
  clean(1'000'000);
  EXPECT_EQ(group.kind, group_kind::streams);
  s.leave("A");
  group = s.state();
  clean(0);
  EXPECT_EQ(group.kind, group_kind::none);
}

TEST_F(offsets_test, s13_4_offsets_of_a_classic_group_age_from_when_its_last_member_left) {
  commit(1, 0, 50);
  apply(group, classic_group_record{classic_metadata{
                   .protocol_type = "consumer", .generation = 3, .state_timestamp_ms = 500}});
  clean(599);
  EXPECT_EQ(committed(), 1);
  clean(600);
  EXPECT_EQ(group.kind, group_kind::none);
}

TEST_F(offsets_test, s13_4_retention_may_count_from_when_the_group_became_empty) {
  scenario s(false);
  s.join("A");
  s.leave("A");
  group = s.state();
  commit(1, 0, 0);
  const retention from_empty{.retention_ms = 100, .from_empty = true};
  EXPECT_TRUE(clean_up(group, from_empty, 950, 1'000).empty());
  EXPECT_FALSE(clean_up(group, from_empty, 900, 1'000).empty());
  EXPECT_FALSE(clean_up(group, {.retention_ms = 100, .from_empty = false}, 950, 1'000).empty());
}

}  // namespace
}  // namespace weir::group
