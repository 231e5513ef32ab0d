// An upstream connection against a peer that answers as a test says (spec 05, 1.1 and 8.9).
#include "gateway/upstream.hpp"

#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/gateway/driven_test.hpp"

namespace weir::gateway {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

void put_int32(bytes& out, std::int32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// Length, key 3, version 0, correlation id: all that the connection looks at.
bytes request(std::int32_t correlation_id) {
  bytes frame;
  put_int32(frame, 8);
  put_int32(frame, 3 << 16);
  put_int32(frame, correlation_id);
  return frame;
}

bytes answer(std::int32_t correlation_id, std::size_t size = 8) {
  bytes frame;
  put_int32(frame, static_cast<std::int32_t>(size));
  put_int32(frame, correlation_id);
  frame.resize(4 + size, 0x5a);
  return frame;
}

class upstream_test : public driven_test {
 protected:
  upstream_test() {
    acceptor.async_accept([this](boost::system::error_code, tcp::socket socket) { peer.emplace(std::move(socket)); });
  }

  void ask(std::int32_t correlation_id, upstream::patience wait = upstream::patience::client) {
    connection->send(request(correlation_id), wait, [this](const result<bytes>& frame) {
      told.push_back(frame ? "answer of " + std::to_string(frame->size()) : frame.error().message);
    });
  }
  void ask_without_answer(std::int32_t correlation_id) {
    connection->send_unanswered(request(correlation_id),
                                [this](const result<bytes>& lost) { told.push_back("lost: " + lost.error().message); });
  }
  /// The peer answers once so many requests have come.
  void answer_after(std::size_t requests, const bytes& data) {
    run_until([this] { return peer.has_value(); });
    bytes asked(requests * request(0).size());
    asio::async_read(*peer, asio::buffer(asked), [this](boost::system::error_code, std::size_t) { asked_ = true; });
    run_until([this] { return asked_; });
    send(data);
  }
  void send(const bytes& data) {
    bool sent = false;
    asio::async_write(*peer, asio::buffer(data), [&sent](boost::system::error_code, std::size_t) { sent = true; });
    run_until([&sent] { return sent; });
  }
  void run_until_told(std::size_t count) {
    run_until([&] { return told.size() >= count; });
  }
  [[nodiscard]] bool last_says(const std::string& words) const {
    return !told.empty() && told.back().find(words) != std::string::npos;
  }

  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
  std::optional<tcp::socket> peer;
  upstream::limits limits{1U << 20, 5'000, 30'000};
  std::vector<std::string> told;
  bool asked_ = false;
  std::shared_ptr<upstream> connection =
      std::make_shared<upstream>(context, broker_address{"127.0.0.1", acceptor.local_endpoint().port()}, limits);
};

TEST_F(upstream_test, answers_find_their_requests_and_ids_may_wrap) {
  ask(std::numeric_limits<std::int32_t>::max());
  ask(std::numeric_limits<std::int32_t>::min());
  auto both = answer(std::numeric_limits<std::int32_t>::max());
  const auto second = answer(std::numeric_limits<std::int32_t>::min(), 200'000);
  both.insert(both.end(), second.begin(), second.end());
  answer_after(2, both);
  run_until_told(2);
  EXPECT_EQ(told, (std::vector<std::string>{"answer of 12", "answer of 200004"}));
  EXPECT_TRUE(connection->usable());
}

TEST_F(upstream_test, answers_out_of_order_end_the_connection) {
  ask(1);
  ask(2);
  answer_after(2, answer(2));
  run_until_told(2);
  EXPECT_TRUE(last_says("an answer to request 2, but 1 is next")) << told.back();
  EXPECT_FALSE(connection->usable());
}

TEST_F(upstream_test, an_answer_that_nobody_asked_for_ends_the_connection) {
  ask(1);
  auto twice = answer(1);
  const auto again = answer(1);
  twice.insert(twice.end(), again.begin(), again.end());
  answer_after(1, twice);
  run_until([this] { return !connection->usable(); });
  EXPECT_EQ(told, (std::vector<std::string>{"answer of 12"}));
}

TEST_F(upstream_test, an_answer_above_the_limit_ends_the_connection) {
  ask(1);
  auto start = answer(1, limits.frame_bytes_max + 1);
  start.resize(12);
  answer_after(1, start);
  run_until_told(1);
  EXPECT_TRUE(last_says("an answer of 1048577 bytes")) << told.back();
}

TEST_F(upstream_test, a_close_in_the_middle_of_an_answer_fails_all_that_wait) {
  ask(1);
  ask(2);
  auto half = answer(1, 300'000);
  half.resize(150'000);
  answer_after(2, half);
  peer->close();
  run_until_told(2);
  EXPECT_TRUE(last_says("connection ended")) << told.back();
}

TEST_F(upstream_test, what_a_taker_of_an_answer_throws_ends_the_connection_and_tells_the_others) {
  connection->send(request(1), upstream::patience::client, [](const result<bytes>&) { throw std::bad_alloc(); });
  ask(2);
  answer_after(2, answer(1));
  run_until_told(1);
  EXPECT_TRUE(last_says("std::bad_alloc")) << told.back();
  EXPECT_FALSE(connection->usable());
}

TEST_F(upstream_test, a_question_of_our_own_has_a_time_limit_that_starts_when_it_is_next) {
  limits.answer_ms = 20;
  connection =
      std::make_shared<upstream>(context, broker_address{"127.0.0.1", acceptor.local_endpoint().port()}, limits);
  ask(1);
  ask(2, upstream::patience::bounded);
  answer_after(2, {});
  context.run_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(told.empty()) << "a client's long poll may take its time";
  send(answer(1));
  run_until_told(2);
  EXPECT_TRUE(last_says("no answer within 20 ms")) << told.back();
}

TEST_F(upstream_test, further_answers_stay_with_the_broker_while_the_client_has_no_room) {
  bool room = false;
  int looks = 0;
  connection->read_while([&] {
    ++looks;
    return room;
  });
  ask(1);
  ask(2);
  auto both = answer(1);
  const auto second = answer(2);
  both.insert(both.end(), second.begin(), second.end());
  answer_after(2, both);
  run_until([&] { return looks >= 3; });
  EXPECT_EQ(told.size(), 1U);
  room = true;
  run_until_told(2);
}

TEST_F(upstream_test, an_answer_to_the_gateway_itself_is_read_although_the_client_has_no_room) {
  int looks = 0;
  connection->read_while([&] {
    ++looks;
    return false;
  });
  ask(1);
  ask(2);
  answer_after(2, answer(1));
  run_until([&] { return looks >= 2; });
  ASSERT_EQ(told.size(), 1U);
  ask(3, upstream::patience::bounded);  // what has been read may wait for this one
  auto both = answer(2);
  const auto own = answer(3);
  both.insert(both.end(), own.begin(), own.end());
  send(both);
  run_until_told(3);
}

TEST_F(upstream_test, spec_05_1_2_a_close_after_a_request_without_answer_is_told) {
  ask_without_answer(1);
  ask_without_answer(2);
  answer_after(2, {});
  peer->close();
  run_until_told(1);
  EXPECT_TRUE(last_says("lost: ")) << told.back();
  EXPECT_EQ(told.size(), 1U) << "one loss, one word";
}

TEST_F(upstream_test, a_later_answer_proves_that_a_request_without_answer_was_taken) {
  ask_without_answer(1);
  ask(2);
  answer_after(2, answer(2));
  run_until_told(1);
  peer->close();
  run_until([this] { return !connection->usable(); });
  EXPECT_EQ(told, (std::vector<std::string>{"answer of 12"}));
}

}  // namespace
}  // namespace weir::gateway
