// Transactions over the wire: producer ids, fencing, and which groups are told of an end. Spec 05, 4.4 and 4.11.
#include <gtest/gtest.h>

#include "embedded_fixture.hpp"
#include "protocol/messages/add_offsets_to_txn_request.hpp"
#include "protocol/messages/add_offsets_to_txn_response.hpp"
#include "protocol/messages/add_partitions_to_txn_request.hpp"
#include "protocol/messages/add_partitions_to_txn_response.hpp"
#include "protocol/messages/end_txn_request.hpp"
#include "protocol/messages/end_txn_response.hpp"
#include "protocol/messages/init_producer_id_request.hpp"
#include "protocol/messages/init_producer_id_response.hpp"
#include "protocol/messages/txn_offset_commit_request.hpp"
#include "protocol/messages/txn_offset_commit_response.hpp"

namespace weir::server {
namespace {

using namespace weir::protocol;  // NOLINT: the messages of five APIs
using testing::number;

class transaction_handlers_test : public testing::embedded_test {
 protected:
  transaction_handlers_test() { make_topic("in", 2); }

  init_producer_id_response init(std::optional<text> id = text("tx"), std::int64_t former_id = -1,
                                 std::int16_t former_epoch = -1, std::int32_t timeout_ms = 60'000) {
    init_producer_id_request request;
    request.transactional_id = std::move(id);
    request.transaction_timeout_ms = timeout_ms;
    request.producer_id = former_id;
    request.producer_epoch = former_epoch;
    return call<init_producer_id_response>(request, 5);
  }
  void start() {
    const auto given = init();
    producer = given.producer_id;
    epoch = given.producer_epoch;
  }
  std::int16_t add(std::int16_t shift = 0) {
    add_offsets_to_txn_request request;
    request.transactional_id = "tx";
    request.producer_id = producer;
    request.producer_epoch = static_cast<std::int16_t>(epoch + shift);
    request.group_id = "app";
    return call<add_offsets_to_txn_response>(request, 4).error_code;
  }
  std::int16_t commit(std::int16_t version = 4, std::int16_t shift = 0) {
    txn_offset_commit_request request;
    request.transactional_id = "tx";
    request.group_id = "app";
    request.producer_id = producer;
    request.producer_epoch = static_cast<std::int16_t>(epoch + shift);
    auto& topic = request.topics.emplace_back();
    topic.name = "in";
    topic.topic_id = topics->current()->find("in")->id;
    topic.partitions.emplace_back().committed_offset = 42;
    return call<txn_offset_commit_response>(request, version).topics.at(0).partitions.at(0).error_code;
  }
  end_txn_response end(bool committed, std::int16_t version = 4) {
    end_txn_request request;
    request.transactional_id = "tx";
    request.producer_id = producer;
    request.producer_epoch = epoch;
    request.committed = committed;
    return call<end_txn_response>(request, version);
  }

  std::int64_t producer = -1;
  std::int16_t epoch = -1;
};

TEST_F(transaction_handlers_test, s4_11_every_producer_gets_an_id_of_its_own_and_a_restart_goes_on) {
  const auto first = init(std::nullopt);
  const auto second = init(std::nullopt);
  EXPECT_EQ(first.error_code, 0);
  EXPECT_NE(first.producer_id, second.producer_id);
  auto again = transactions::open(log, time);
  ASSERT_TRUE(again);
  EXPECT_GT((*again)->new_producer()->id, second.producer_id);
}

TEST_F(transaction_handlers_test, s4_11_the_epoch_of_a_transactional_id_fences_its_former_producer) {
  const auto first = init();
  const auto second = init();
  EXPECT_EQ(second.producer_id, first.producer_id);
  EXPECT_EQ(second.producer_epoch, first.producer_epoch + 1);
  producer = first.producer_id;
  epoch = first.producer_epoch;
  EXPECT_EQ(add(), number(error_code::producer_fenced));
  EXPECT_EQ(end(true).error_code, number(error_code::producer_fenced));
  EXPECT_EQ(commit(), number(error_code::invalid_producer_epoch));
  EXPECT_EQ(init(text("tx"), producer + 1000, 0).error_code, number(error_code::producer_fenced));
  EXPECT_EQ(init(text("tx"), producer, epoch).error_code, number(error_code::producer_fenced))
      << "it was another one that asked for the present epoch";
}

TEST_F(transaction_handlers_test, s4_11_a_producer_that_asks_again_for_its_next_epoch_gets_the_same) {
  start();
  const auto next = init(text("tx"), producer, epoch);
  EXPECT_EQ(next.producer_epoch, epoch + 1);
  EXPECT_EQ(init(text("tx"), producer, epoch).producer_epoch, epoch + 1);
  EXPECT_EQ(init(text("tx"), producer, next.producer_epoch).producer_epoch, epoch + 2);
  EXPECT_EQ(init(text("tx"), producer, epoch).error_code, number(error_code::producer_fenced));
}

TEST_F(transaction_handlers_test, s4_11_old_versions_know_no_producer_fenced) {
  start();
  init();
  end_txn_request request;
  request.transactional_id = "tx";
  request.producer_id = producer;
  request.producer_epoch = epoch;
  EXPECT_EQ(call<end_txn_response>(request, 1).error_code, number(error_code::invalid_producer_epoch));
  EXPECT_EQ(call<end_txn_response>(request, 2).error_code, number(error_code::producer_fenced));
}

TEST_F(transaction_handlers_test, s4_11_what_makes_no_sense_is_refused) {
  EXPECT_EQ(init(text("")).error_code, number(error_code::invalid_request));
  EXPECT_EQ(init(text("tx"), -1, -1, 0).error_code, number(error_code::invalid_transaction_timeout));
  EXPECT_EQ(init(text("tx"), -1, -1, 900'001).error_code, number(error_code::invalid_transaction_timeout));
  EXPECT_EQ(init(text("tx"), 0, -1).error_code, number(error_code::invalid_request)) << "half an identity";
  EXPECT_EQ(init(text("tx"), -1, 3).error_code, number(error_code::invalid_request));
  producer = 7;
  epoch = 0;
  EXPECT_EQ(add(), number(error_code::invalid_producer_id_mapping));
  EXPECT_EQ(commit(), number(error_code::invalid_producer_id_mapping));
  EXPECT_EQ(end(true).error_code, number(error_code::invalid_producer_id_mapping));
}

TEST_F(transaction_handlers_test, s4_4_a_commit_needs_its_group_in_the_transaction) {
  start();
  EXPECT_EQ(commit(4), number(error_code::transaction_abortable));
  EXPECT_EQ(commit(3), number(error_code::invalid_txn_state));
  EXPECT_TRUE(coordinator.commits.empty());
  EXPECT_EQ(add(), 0);
  for (std::int16_t version = 0; version <= 6; ++version) EXPECT_EQ(commit(version), 0) << version;
  const auto& passed = coordinator.commits.back();
  EXPECT_TRUE(passed.transactional);
  ASSERT_TRUE(passed.producer);
  EXPECT_EQ(passed.producer->id, producer);
  EXPECT_EQ(passed.producer->deadline_ms, time.now_ms() + 60'000 + 300'000)
      << "longer than the transaction: a group never gives up what may still be committed";
}

TEST_F(transaction_handlers_test, s4_4_versions_from_5_on_add_the_group_themselves) {
  start();
  EXPECT_EQ(commit(5), 0);
  EXPECT_EQ(end(true).error_code, 0);
  ASSERT_EQ(coordinator.ends.size(), 1U);
  EXPECT_EQ(coordinator.ends[0].group_id, "app");
}

TEST_F(transaction_handlers_test, s4_11_the_end_tells_the_groups_and_can_be_asked_for_again) {
  start();
  EXPECT_EQ(end(true).error_code, number(error_code::invalid_txn_state)) << "nothing has begun";
  add();
  EXPECT_EQ(end(true).error_code, 0);
  ASSERT_EQ(coordinator.ends.size(), 1U);
  EXPECT_TRUE(coordinator.ends[0].commit);
  EXPECT_EQ(coordinator.ends[0].producer_id, producer);
  EXPECT_EQ(end(true).error_code, 0);
  EXPECT_EQ(end(false).error_code, number(error_code::invalid_txn_state));
  EXPECT_EQ(coordinator.ends.size(), 1U);
}

TEST_F(transaction_handlers_test, s4_11_version_5_of_the_end_gives_the_next_epoch_also_when_asked_again) {
  start();
  add();
  EXPECT_EQ(end(false, 5).producer_epoch, epoch + 1);
  EXPECT_EQ(end(false, 5).producer_epoch, epoch + 1);
  EXPECT_EQ(end(true, 5).error_code, number(error_code::invalid_txn_state)) << "asked again for something else";
}

TEST_F(transaction_handlers_test, s4_11_version_5_aborts_an_empty_transaction_and_older_ones_do_not) {
  start();
  EXPECT_EQ(end(false, 4).error_code, number(error_code::invalid_txn_state));
  EXPECT_EQ(end(true, 5).error_code, number(error_code::invalid_txn_state));
  EXPECT_EQ(end(false, 5).producer_epoch, epoch + 1);
  EXPECT_EQ(end(false, 5).producer_epoch, epoch + 1) << "asked again";
  epoch = static_cast<std::int16_t>(epoch + 1);
  EXPECT_EQ(end(false, 5).producer_epoch, epoch + 1) << "one more";
  epoch = static_cast<std::int16_t>(epoch + 1);
  EXPECT_EQ(end(true, 5).error_code, number(error_code::invalid_txn_state));
  commit(5);
  EXPECT_EQ(end(true, 5).producer_epoch, epoch + 1);
  epoch = static_cast<std::int16_t>(epoch + 1);
  const auto after_commit = end(false, 5);
  EXPECT_EQ(after_commit.error_code, 0);
  EXPECT_EQ(after_commit.producer_epoch, epoch + 1);
  EXPECT_EQ(coordinator.ends.size(), 1U) << "empty ones are no group's business";
}

TEST_F(transaction_handlers_test, version_5_of_the_end_of_a_transaction_that_took_too_long) {
  start();
  add();
  time.advance(60'000);
  EXPECT_EQ(end(true, 5).error_code, number(error_code::invalid_txn_state));
  EXPECT_EQ(end(true, 4).error_code, number(error_code::producer_fenced));
  EXPECT_EQ(end(false, 5).producer_epoch, epoch + 1) << "it is aborted";
}

TEST_F(transaction_handlers_test, an_end_that_a_group_cannot_write_may_be_tried_again) {
  start();
  add();
  coordinator.end_result = error_code::coordinator_not_available;
  EXPECT_EQ(end(true).error_code, number(error_code::coordinator_not_available));
  coordinator.end_result = error_code::none;
  EXPECT_EQ(end(true).error_code, 0);
}

TEST_F(transaction_handlers_test, a_commit_whose_offsets_are_lost_fails_and_the_next_producer_can_begin) {
  for (const auto version : {std::int16_t{4}, std::int16_t{5}}) {
    start();
    commit(5);
    coordinator.end_result = error_code::invalid_txn_state;
    EXPECT_EQ(end(true, version).error_code, number(error_code::invalid_txn_state));
    coordinator.end_result = error_code::none;
    EXPECT_EQ(end(true, version).error_code, number(error_code::invalid_txn_state)) << "never taken for a commit";
    const auto next = init();
    EXPECT_EQ(next.error_code, 0);
    EXPECT_EQ(next.producer_epoch, epoch + 1);
  }
}

TEST_F(transaction_handlers_test, a_new_producer_does_not_ask_what_was_lost) {
  start();
  commit(5);
  coordinator.end_result = error_code::coordinator_not_available;
  EXPECT_EQ(end(true).error_code, number(error_code::coordinator_not_available));
  coordinator.end_result = error_code::invalid_txn_state;
  EXPECT_EQ(init().error_code, 0);
  EXPECT_EQ(init().producer_epoch, epoch + 2);
}

TEST_F(transaction_handlers_test, s4_11_a_new_producer_aborts_what_the_former_one_left_open) {
  start();
  add();
  const auto next = init();
  EXPECT_EQ(next.producer_epoch, epoch + 1);
  ASSERT_EQ(coordinator.ends.size(), 1U);
  EXPECT_FALSE(coordinator.ends[0].commit);
  EXPECT_EQ(coordinator.ends[0].producer_epoch, epoch);
  epoch = next.producer_epoch;
  EXPECT_EQ(end(true).error_code, number(error_code::invalid_txn_state));
}

TEST_F(transaction_handlers_test, a_transaction_that_takes_too_long_fences_its_producer) {
  start();
  add();
  time.advance(60'000);
  EXPECT_EQ(end(true).error_code, number(error_code::producer_fenced));
  producers->abort_late_ones(coordinator);
  producers->abort_late_ones(coordinator);
  ASSERT_EQ(coordinator.ends.size(), 1U) << "its groups are told soon";
  EXPECT_FALSE(coordinator.ends[0].commit);
  EXPECT_EQ(coordinator.ends[0].producer_epoch, epoch);
}

TEST_F(transaction_handlers_test, partitions_are_added_all_or_none) {
  start();
  add_partitions_to_txn_request request;
  request.v3_and_below_transactional_id = "tx";
  request.v3_and_below_producer_id = producer;
  request.v3_and_below_producer_epoch = epoch;
  auto& topic = request.v3_and_below_topics.emplace_back();
  topic.name = "in";
  topic.partitions = {0, 9};
  auto answer = call<add_partitions_to_txn_response>(request, 3).results_by_topic_v3_and_below.at(0);
  EXPECT_EQ(answer.results_by_partition.at(0).partition_error_code, number(error_code::operation_not_attempted));
  EXPECT_EQ(answer.results_by_partition.at(1).partition_error_code, number(error_code::unknown_topic_or_partition));
  request.v3_and_below_topics[0].partitions = {0};
  answer = call<add_partitions_to_txn_response>(request, 3).results_by_topic_v3_and_below.at(0);
  EXPECT_EQ(answer.results_by_partition.at(0).partition_error_code, 0);
  EXPECT_EQ(end(true).error_code, 0);
}

}  // namespace
}  // namespace weir::server
