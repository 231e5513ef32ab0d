// Architecture, "steady state costs nothing": a steady heartbeat is decoded without allocating; its answer is one
// allocation.
#include <gtest/gtest.h>

#include "protocol/codec.hpp"
#include "protocol/headers.hpp"
#include "protocol/messages/streams_group_heartbeat_request.hpp"
#include "protocol/messages/streams_group_heartbeat_response.hpp"
#include "tests/unit/protocol/counting_allocations.hpp"

namespace weir::protocol {
namespace {

bytes steady_request() {
  streams_group_heartbeat_request request;
  request.group_id = "orders-app";
  request.member_id = "JqkTJbT_TfiMv0v_UgMbuQ";
  request.member_epoch = 12;
  return encode_request_frame(4, text("orders-app-StreamThread-1-consumer"), request, 1);
}

TEST(allocation_test, a_steady_heartbeat_is_decoded_without_allocating) {
  const auto frame = steady_request();
  const auto before = testing::allocations();
  const auto opened = open_request(byte_view(frame).subspan(4));
  const auto request = decode<streams_group_heartbeat_request>(opened->body, 1);
  const auto after = testing::allocations();
  EXPECT_EQ(after - before, 0U);
  EXPECT_EQ(request.value().member_epoch, 12);
  EXPECT_EQ(opened->header.client_id, "orders-app-StreamThread-1-consumer");
}

TEST(allocation_test, an_answer_is_one_allocation) {
  streams_group_heartbeat_response answer;
  answer.member_id = "JqkTJbT_TfiMv0v_UgMbuQ";
  answer.member_epoch = 12;
  (void)encode_response_frame(3, answer, 1);  // the thread's buffer grows once
  const auto before = testing::allocations();
  const auto frame = encode_response_frame(4, answer, 1);
  const auto after = testing::allocations();
  EXPECT_EQ(after - before, 1U);
  EXPECT_EQ(frame.capacity(), frame.size());
}

}  // namespace
}  // namespace weir::protocol
