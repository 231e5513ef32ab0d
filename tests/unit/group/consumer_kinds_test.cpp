// A consumer group beside the other kinds: records in any order, conversion, deletion, offsets, other protocols.
#include <gmock/gmock.h>

#include <algorithm>

#include "group/classic/classic_group.hpp"
#include "group/describe.hpp"
#include "group/heartbeat/heartbeat.hpp"
#include "group/offsets/commit.hpp"
#include "group/offsets/delete.hpp"
#include "group/offsets/expire.hpp"
#include "tests/support/hard_differences.hpp"
#include "tests/unit/group/consumer_fixture.hpp"

namespace weir::group {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class consumer_kinds_test : public consumer_test {
 protected:
  void write(const records& all) {
    for (const auto& r : all) apply(group, r);
  }
  static record offset_of(const std::string& topic, bool live = true) {
    offset_record made{.topic = topic, .partition = 0, .value = {}};
    if (live) made.value.emplace().offset = 5;
    return made;
  }
  int join_classic_as(const std::string& member_id) {
    protocol::join_group_request request;
    request.member_id = text(member_id);
    request.session_timeout_ms = 10'000;
    request.protocol_type = "consumer";
    request.protocols.emplace_back();
    const classic_context context{.version = 9,
                                  .client_id = "c",
                                  .client_host = "/h",
                                  .new_member_id = "new",
                                  .members_max = 10,
                                  .now_ms = now};
    const auto outcome = join_classic(group, request, context);
    write(outcome.records);
    apply(group, outcome.soft);
    return outcome.answer ? outcome.answer->error_code : 0;
  }
  [[nodiscard]] int commit(const char* member_id, std::int32_t member_epoch, std::int32_t partition = 0,
                           std::int16_t of_version = 9, const char* topic = "t") const {
    commit_check request;
    request.version = of_version;
    request.member_id = member_id;
    request.member_epoch = member_epoch;
    request.image = image.get();
    request.partitions = {{topic, partition}};
    const auto refused = check_commit(group, request);
    return refused ? code_of(refused->code) : 0;
  }
  [[nodiscard]] int fetch(std::optional<std::string_view> member_id, std::int32_t member_epoch) const {
    const auto refused = check_fetch(group, member_id, member_epoch);
    return refused ? code_of(refused->code) : 0;
  }
};

TEST_F(consumer_kinds_test, a_restart_keeps_kind_and_epoch_and_forgets_the_members) {
  send(joins("a"));
  send(joins("b"));
  streams_group reloaded;
  reloaded.id = "g";
  weir::group::apply(reloaded, last_written.at(0));
  EXPECT_THAT(hard_differences(group, reloaded), IsEmpty());
  group = reloaded;
  EXPECT_EQ(state(), "Empty");
  EXPECT_EQ(group.soft.consumer.assignment->epoch, 3);
  EXPECT_EQ(send(beats("a", 2)), code_of(error_code::unknown_member_id));
  EXPECT_EQ(send(joins("a")), 0);
  EXPECT_EQ(answer.member_epoch, 4) << "epochs never go back";
}

TEST_F(consumer_kinds_test, records_may_come_in_any_order) {
  const consumer_metadata metadata{.epoch = 4, .metadata_hash = 1};
  const records all = {offset_of("t"), classic_group_record{classic_metadata()}, consumer_group_record{metadata}};
  std::vector<int> order = {0, 1, 2};
  do {
    group = {};
    for (const int i : order) apply(group, all[static_cast<std::size_t>(i)]);
    EXPECT_EQ(group.kind, group_kind::consumer);
    apply(group, consumer_group_record{});
    EXPECT_EQ(group.kind, group_kind::simple);
    apply(group, classic_group_record{});
    write({offset_of("t", false)});
    EXPECT_EQ(group.kind, group_kind::none);
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(consumer_kinds_test, a_streams_group_under_the_id_counts_until_it_is_gone) {
  const records streams = {group_metadata_record{group_metadata()}};
  const records consumers = {consumer_group_record{consumer_metadata{.epoch = 4, .metadata_hash = 0}}};
  for (const bool streams_first : {true, false}) {
    group = {};
    write(streams_first ? streams : consumers);
    write(streams_first ? consumers : streams);
    EXPECT_EQ(group.kind, group_kind::streams);
    apply(group, group_metadata_record{});
    EXPECT_EQ(group.kind, group_kind::consumer);
    EXPECT_EQ(group.soft.consumer.assignment->epoch, 4);
  }
}

TEST_F(consumer_kinds_test, offsets_and_an_empty_classic_group_become_a_consumer_group) {
  write({offset_of("t"), empty_classic_group(now)});
  EXPECT_EQ(send(beats("a", 1)), code_of(error_code::group_id_not_found));
  EXPECT_EQ(send(joins("a")), 0);
  EXPECT_EQ(group.kind, group_kind::consumer);
  EXPECT_FALSE(group.classic);
  EXPECT_EQ(group.offsets.size(), 1U);
  ASSERT_EQ(last_written.size(), 2U);
  EXPECT_TRUE(is_tombstone(last_written[0])) << "of the classic group, first";
}

TEST_F(consumer_kinds_test, a_classic_group_with_members_stays_one) {
  join_classic_as("");
  EXPECT_EQ(join_classic_as("new"), 0);
  EXPECT_EQ(send(joins("a")), code_of(error_code::group_id_not_found));
  EXPECT_EQ(answer.error_message,
            text("Cannot upgrade classic group g to consumer group because online upgrade is disabled."));
  EXPECT_EQ(send(beats("a", 1)), code_of(error_code::group_id_not_found));
  EXPECT_EQ(group.kind, group_kind::simple);
}

TEST_F(consumer_kinds_test, a_live_group_refuses_classic_members_and_an_empty_one_becomes_classic) {
  write({offset_of("t")});
  send(joins("a"));
  for (const auto* id : {"", "a", "x"}) {
    EXPECT_EQ(join_classic_as(id), code_of(error_code::inconsistent_group_protocol)) << id;
  }
  send(beats("a", -1));
  EXPECT_EQ(join_classic_as("x"), code_of(error_code::unknown_member_id));
  EXPECT_EQ(group.kind, group_kind::consumer) << "epochs never go back";
  EXPECT_EQ(join_classic_as(""), code_of(error_code::member_id_required));
  EXPECT_EQ(group.kind, group_kind::simple);
  EXPECT_FALSE(group.consumer);
  EXPECT_EQ(group.offsets.size(), 1U);
  EXPECT_EQ(join_classic_as("new"), 0);
}

TEST_F(consumer_kinds_test, a_streams_member_cannot_join_even_if_it_is_empty) {
  send(joins("a"));
  send(beats("a", -1));
  const group_config config;
  const auto assignors = assignor::registry::built_in();
  const class world streams_world{.image = *image,
                                  .hashes = hashes,
                                  .config = config,
                                  .max_size = 10,
                                  .assignors = assignors,
                                  .strict_kafka = true,
                                  .now_ms = now};
  protocol::streams_group_heartbeat_request request;
  request.group_id = "g";
  request.member_id = "m";
  for (const std::int32_t member_epoch : {0, 1, -1}) {
    request.member_epoch = member_epoch;
    const auto outcome = heartbeat(group, request, {}, streams_world);
    EXPECT_EQ(outcome.answer.error_code, code_of(error_code::group_id_not_found)) << member_epoch;
  }
}

TEST_F(consumer_kinds_test, deleted_when_it_is_empty_with_its_offsets) {
  write({offset_of("t")});
  send(joins("a"));
  ASSERT_TRUE(check_deletion(group));
  EXPECT_EQ(check_deletion(group)->code, error_code::non_empty_group);
  send(beats("a", -1));
  EXPECT_FALSE(check_deletion(group));
  write(deletion_records(group));
  EXPECT_EQ(group.kind, group_kind::none);
  EXPECT_TRUE(group.offsets.empty());
}

TEST_F(consumer_kinds_test, offsets_of_topics_that_are_read_stay) {
  write({offset_of("t"), offset_of("u")});
  send(joins("a"));
  const auto deletion = delete_offsets(group, {{"t", 0}, {"u", 0}});
  EXPECT_THAT(deletion.verdicts, ElementsAre(error_code::group_subscribed_to_topic, error_code::none));
  EXPECT_TRUE(deletion.records == records{offset_of("u", false)});
  const retention rule{.retention_ms = 1, .from_empty = false};
  EXPECT_TRUE(clean_up(group, rule, 0, 1'000'000) == records{offset_of("u", false)});
  send(beats("a", -1));
  write(clean_up(group, rule, 0, 1'000'000));
  EXPECT_EQ(group.kind, group_kind::none) << "empty and without offsets";
}

TEST_F(consumer_kinds_test, commits_are_judged_by_the_members_epoch) {
  send(joins("a"));
  send(joins("b"));
  beat("a", 2);
  const auto kept = told();
  beat("a", 2, kept);
  beat("b", 3);
  const auto of_a = kept.at("t")[0];
  const auto of_b = told().at("t")[0];
  EXPECT_EQ(commit("a", 3, of_b), 0) << "as a broker does";
  EXPECT_EQ(commit("a", 2, of_a), 0) << "its own since epoch 2";
  EXPECT_EQ(commit("a", 2, of_b), 113);
  EXPECT_EQ(commit("b", 2, of_b), 113) << "its own since epoch 3 only";
  EXPECT_EQ(commit("a", 2, 0, 9, "missing"), 113);
  EXPECT_EQ(commit("a", 4), 113);
  EXPECT_EQ(commit("a", -1), 113);
  EXPECT_EQ(commit("a", 3, 0, 8), 35);
  EXPECT_EQ(commit("x", 3), 25);
  EXPECT_EQ(commit("", -1), 25);
  EXPECT_EQ(fetch("a", 3), 0);
  EXPECT_EQ(fetch("a", 2), 113);
  EXPECT_EQ(fetch("x", 3), 25);
  EXPECT_EQ(fetch(std::nullopt, -1), 0);
  send(beats("a", -1));
  send(beats("b", -1));
  EXPECT_EQ(commit("", -1), 0) << "an administrator's";
  EXPECT_EQ(commit("a", 3), 25);
  EXPECT_EQ(fetch("a", -1), 25);
}

TEST_F(consumer_kinds_test, a_row_of_a_list) {
  send(joins("a"));
  const auto row = summarise(group);
  EXPECT_EQ(row.state_name, "Stable");
  EXPECT_EQ(row.protocol_type, "consumer");
  EXPECT_EQ(type_name(row.kind), "consumer");
  EXPECT_EQ(row.group_epoch, 2);
  EXPECT_EQ(row.assignment_epoch, 2);
  EXPECT_EQ(row.members, 1);
  EXPECT_EQ(describe_classic(group).group_state, "Dead");
}

}  // namespace
}  // namespace weir::group
