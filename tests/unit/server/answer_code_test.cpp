// The code under which an answer is counted.
#include "server/answer_code.hpp"

#include <gtest/gtest.h>

#include "protocol/messages/add_partitions_to_txn_response.hpp"
#include "protocol/messages/delete_groups_response.hpp"
#include "protocol/messages/offset_commit_response.hpp"
#include "protocol/messages/offset_fetch_response.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"

namespace weir::server {
namespace {

TEST(answer_code, is_the_answer_s_own) {
  protocol::streams_group_heartbeat_response answer;
  EXPECT_EQ(first_error(answer), 0);
  answer.error_code = 110;
  EXPECT_EQ(first_error(answer), 110);
}

TEST(answer_code, is_that_of_the_first_part_that_failed) {
  protocol::offset_commit_response commit;
  commit.topics.resize(2);
  commit.topics[0].partitions.resize(1);
  commit.topics[1].partitions.resize(2);
  EXPECT_EQ(first_error(commit), 0);
  commit.topics[1].partitions[1].error_code = 22;
  EXPECT_EQ(first_error(commit), 22);
  protocol::add_partitions_to_txn_response added;
  added.results_by_topic_v3_and_below.resize(1);
  added.results_by_topic_v3_and_below[0].results_by_partition.resize(1);
  added.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code = 3;
  EXPECT_EQ(first_error(added), 3);
  protocol::delete_groups_response deletion;
  deletion.results.resize(2);
  deletion.results[1].error_code = 68;
  EXPECT_EQ(first_error(deletion), 68);
}

TEST(answer_code, of_an_answer_that_failed_as_a_whole_is_not_that_of_its_parts) {
  protocol::offset_fetch_response fetch;
  fetch.groups.resize(1);
  fetch.groups[0].error_code = 69;
  EXPECT_EQ(first_error(fetch), 69);
  fetch.error_code = 16;
  EXPECT_EQ(first_error(fetch), 16);
}

}  // namespace
}  // namespace weir::server
